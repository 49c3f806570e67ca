// A line of a difference: its parts, and its numbers before and after.

export interface DiffPart {
  text: string;
  isChanged: boolean;
}

export interface DiffLine {
  kind: 'same' | 'add' | 'del';
  parts: DiffPart[];
  before?: number;
  after?: number;
}
