// The messages between the runner and its processes.

export interface TestFile {
  path: string;
  /** Where its suites for each engine run on one alone. */
  engine?: 'sqlite' | 'postgres' | undefined;
}

/** To a process: the file to run next, or none to exit. */
export interface Order {
  file?: string;
  engine?: TestFile['engine'];
}

/** From a process: the progress or the result of a file. */
export type Message = { progress: Progress } | { report: FileReport };

export interface Counts {
  passed: number;
  failed: number;
}

export interface Progress extends Counts {
  /** What the report has more than at the last message. */
  text: string;
  /** The test that started last. */
  running: string;
}

export interface FileReport extends Counts {
  text: string;
  /** The failed tests with their errors. */
  failures: string;
  /** Whether other files may run in the same process. */
  isTidy: boolean;
}
