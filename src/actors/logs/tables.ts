// The tables of logs.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    logs: LogRow;
    log_chunks: LogChunkRow;
    log_files: LogFileRow;
  }
}

export interface LogRow {
  /** The id of the build or run. */
  id: string;
  user_id: string;
  /** Whether everything is stored and nothing more will come. */
  is_ended: number;
  /** Whether an ended log is in its blob; the chunks are then gone. */
  is_packed: number;
  /** Of everything that was ever added, including what was cut out of the middle. */
  total_bytes: number;
  /** What is kept of an ended log; null while it is in chunks, and if it is empty. */
  blob: string | null;
  blob_bytes: number;
  /** Where in the blob something was cut out, if it is shorter than the total. */
  head_bytes: number;
  created_at: number;
  /** Of everything that was ever added; null in logs of older releases. */
  total_lines: number | null;
  /** Of an ended log: where its lines are, as JSON. Null while it is in chunks. */
  line_index: string | null;
}

export interface LogChunkRow {
  log_id: string;
  /** The number of bytes that were added before it. A gap between two chunks has been cut out. */
  at: number;
  /** Whole lines, each with its time. */
  content: Uint8Array;
  /** The number of lines that were added before it; null in logs of older releases. */
  first_line: number | null;
}

export interface LogFileRow {
  log_id: string;
  /** Its path below the work folder of its node, with a random name. */
  file: string;
  /** The number of bytes that are stored. */
  position: number;
}
