// The port behind which programs of users run: a process in a sandbox now; a container runner would be one more file.

/** One program to run. Paths are those of this machine, and the program sees the same ones. */
export interface Program {
  /** The id of the build or run. */
  id: string;
  command: readonly [string, ...string[]];
  /** The whole environment: nothing of the server's own is added. */
  env: Readonly<Record<string, string>>;
  /** The working folder: the only one, beside a small `/tmp`, that the program can write to. */
  folder: string;
  /** Further files and folders that the program can read: dependencies, interpreters. */
  readable: readonly string[];
  /** Standard output and error are appended to this file, which the program cannot open by its name. */
  output: string;
  memoryMbytes: number;
  diskMbytes: number;
  network: 'host' | 'none';
}

export interface RunningProgram {
  /** Resolves when the program and all that it started are dead. Never rejects. */
  readonly exited: Promise<ProgramExit>;
  /** Sends SIGTERM to the program, or kills it with all that it started. */
  stop(how: 'terminate' | 'kill'): void;
  /** What the whole group uses now. */
  usage(): Promise<ProgramUsage>;
}

export interface ProgramExit {
  /** Null when a signal ended it. */
  code: number | null;
  /** The limit that was broken, if the runner killed it for that. */
  exceeded?: 'memory' | 'disk';
}

export interface ProgramUsage {
  memoryBytes: number;
  /** Since it started, of all its processes. */
  cpuMs: number;
}

export interface Runner {
  /** `none` where programs run as the server's own user. */
  readonly isolation: 'bubblewrap' | 'uid' | 'none';
  /** Limits that this machine does not let the runner enforce, each as a sentence for the log of a run. */
  readonly warnings: readonly string[];
  /** The reason why no program may run on this server, with the ways out. */
  readonly refusal?: string;
  start(program: Program): Promise<RunningProgram>;
  /** Kills what a crashed server left running on this machine. Called once, before anything is started. */
  killLeftovers(): Promise<void>;
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    runner: Runner;
  }
}
