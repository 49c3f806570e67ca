// One step of a semantic patch, as the flags API takes it.
export interface Instruction {
  kind: string;
  [parameter: string]: unknown;
}
