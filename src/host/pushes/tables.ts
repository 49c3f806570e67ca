// The tables of pushes and recorded references.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    host_refs: RecordedRefRow;
    host_pushes: PushRow;
  }
}

export interface RecordedRefRow {
  repository_number: number;
  /** Full names of branches and tags. */
  name: string;
  oid: string;
}

/** A push that goes on, or whose server has died. */
export interface PushRow {
  id: string;
  repository_number: number;
  /** An `Initiator`, as JSON. */
  pusher: string;
  begun_at: number;
  /** What it changes, as JSON; null while git still reads it, and has moved nothing. */
  changes: string | null;
}
