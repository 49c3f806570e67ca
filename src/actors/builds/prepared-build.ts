// A build as a node needs it to run it: its sources and dependencies as folders of this machine.

export interface PreparedBuild {
  /** The folder with the built sources; it never changes. */
  sources: string;
  /** The folder that contains `node_modules` or a Python environment; absent where there are no dependencies. */
  dependencies?: string;
  command: readonly [string, ...string[]];
  /** What the program needs to find its interpreter and dependencies, such as PATH. */
  env: Readonly<Record<string, string>>;
  /** Files and folders, beside the working folder, that the program must be able to read. */
  readable: readonly string[];
}
