// An entry of the audit log about a flag.
export interface HistoryEntry {
  _id: string;
  date: number;
  name: string;
  titleVerb: string;
  /** Markdown, a line for each thing that changed. */
  description: string;
  comment?: string;
  accesses: { action: string; resource: string }[];
  member?: { _id: string; email: string; firstName?: string; lastName?: string };
  token?: { name?: string; ending: string; serviceToken: boolean };
}

export interface HistoryDetail extends HistoryEntry {
  previousVersion?: unknown;
  currentVersion?: unknown;
}
