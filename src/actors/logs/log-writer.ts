// Writes the log of a build or run: follows the file that the program writes to, and stores what comes.

export interface LogWriter {
  /** The file that receives the program's output. It stays where it is until the writer is closed or ended. */
  readonly file: string;
  /** Appends a line of the platform itself, such as `ACTOR: Starting`. */
  write(line: string): void;
  /** Stores everything in the file, closes it, and marks the log as ended: call it when the program is dead. */
  end(): Promise<void>;
  /** Stores everything in the file and closes it; the log goes on on another node. */
  close(): Promise<void>;
}
