// The port behind which programs of users run: a process in a sandbox now; a container runner would be one more file.
import type { DiskQuery, DiskUsage } from './disk-usage.ts';

/** One program to run. Paths are those of this machine, and the program sees the same ones. */
export interface Program {
  /** The id of the build or run. */
  id: string;
  /** The first word is looked up in the PATH of `env`. */
  command: readonly [string, ...string[]];
  /** The whole environment: nothing of the server's own is added. */
  env: Readonly<Record<string, string>>;
  /** The working folder, which must exist: the only one, beside a small `/tmp`, that the program can write to. */
  folder: string;
  /** Further files and folders that the program can read, and that must exist: dependencies, interpreters. */
  readable: readonly string[];
  /** Standard output and error are appended to this file, which the program cannot open by its name. */
  output: string;
  memoryMbytes: number;
  /** For the working folder and the output together. */
  diskMbytes: number;
  network: ProgramNetwork;
  /** Not on the network of the machine: Unix sockets of this server, each on a port of the program's own loopback address. */
  bridges?: readonly ProgramBridge[];
  /** Not on the network of the machine: the server reaches this port of the program's own loopback address by a Unix socket. */
  inboundSocket?: ProgramInboundSocket;
  /** Without a sandbox, Node programs get Node's own permission flags. Package managers cannot work under them. */
  hasNodePermissions?: boolean;
}

/** That of the machine; one of its own, which leads to the outside and not to the machine's loopback address; or none. */
export type ProgramNetwork = 'host' | 'private' | 'none';

export interface ProgramBridge {
  port: number;
  socket: string;
}

export interface ProgramInboundSocket {
  port: number;
  /** In a folder that the program cannot reach. */
  socket: string;
}

export interface RunningProgram {
  /** Resolves when the program and all that it started are dead. Never rejects. */
  readonly exited: Promise<ProgramExit>;
  /** Sends SIGTERM to the program's process group, or kills the program with all that it started. */
  stop(how: 'terminate' | 'kill'): void;
  /** Whether the program, and nothing else, listens on this port of the machine; undefined where the machine does not tell. */
  holdsPort?(port: number): Promise<boolean | undefined>;
  /** What all its processes use now; after the end, what was seen last. */
  usage(): Promise<ProgramUsage>;
}

export interface ProgramExit {
  /** Null when the runner killed it. A program that a signal ended has 128 plus the number of the signal. */
  code: number | null;
  /** The limit that was broken, if it was killed for that. */
  exceeded?: ProgramLimit;
}

/** `files`: more of them than can be counted in a short time; `full-disk`: the file system is full, and it has grown most. */
export type ProgramLimit = 'memory' | 'disk' | 'files' | 'full-disk';

/** Completes "It was stopped because …". */
export function explainLimit(limit: ProgramLimit, owner: 'the run' | 'the build'): string {
  if (limit === 'full-disk') return `the disk of the server is full, and ${owner} had written most`;
  const words = { memory: 'memory', disk: 'disk space', files: 'files and folders' };
  const most = limit === 'files' ? 'may have' : 'has';
  return `it used more ${words[limit]} than ${owner} ${most}`;
}

export interface ProgramUsage {
  memoryBytes: number;
  /** Since it started, of all its processes. */
  cpuMs: number;
}

export type IsolationKind = 'bubblewrap' | 'uid' | 'none';

export interface Runner {
  /** `none` where programs run as the server's own user. */
  readonly isolation: IsolationKind;
  /** What programs get, in sentences for the log of a start. */
  readonly description: string;
  /** What this machine does not let the runner enforce, each as a sentence for the log of a run. */
  readonly warnings: readonly string[];
  /** The reason why no program may run on this server, with the ways out. */
  readonly refusal?: string;
  /** Rejects when the program cannot be started at all. A command that is not found is an exit with code 127. */
  start(program: Program): Promise<RunningProgram>;
  /**
   * Makes room on the file system of this device: freezes the programs that write to it, and ends the one that has grown most,
   * then the next, until there is room or none has grown much.
   */
  relieveDisk(device: number, hasRoom: () => Promise<boolean>): Promise<void>;
  /** One after another, so that folders with many files use one core at most. */
  measureDisk(query: DiskQuery): Promise<DiskUsage>;
  /** Kills what a crashed server left running on this machine. Called once, before anything is started. */
  killLeftovers(): Promise<void>;
  /** Called when all programs have ended. */
  close(): Promise<void>;
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    runner: Runner;
  }
}
