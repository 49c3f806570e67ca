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
  /** In bytes, without what was cut. */
  size: number;
  /** How much was left out of the middle. */
  cut_bytes: number;
  next_seq: number;
  /** The whole log, once it is ended; the chunks are then gone. */
  blob: string | null;
  created_at: number;
}

export interface LogChunkRow {
  log_id: string;
  seq: number;
  /** Whole lines, each with its time. */
  content: Uint8Array;
}

export interface LogFileRow {
  log_id: string;
  /** The random name of the file on its node. */
  file: string;
  /** The number of bytes that are stored. */
  position: number;
}
