// The messages between the runner and its processes.

/** To a process: the file to run next, or none to exit. */
export interface Order {
  file?: string;
}

/** From a process: how far a file has come, or how it went. */
export type Message = { progress: Progress } | { report: FileReport };

export interface Counts {
  passed: number;
  failed: number;
}

export interface Progress extends Counts {
  /** The report of the tests that are over. */
  text: string;
  /** The test that began last. */
  running: string;
}

export interface FileReport extends Counts {
  text: string;
  /** What failed, with its errors. */
  failures: string;
  /** Whether other files may run in the same process. */
  isTidy: boolean;
}
