// The settings of builds and runs.
import type { ProgramNetwork } from '../runner/runner.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    execution: ExecutionSettings;
  }
}

export interface ExecutionSettings {
  /** The folder of builds, dependencies and working folders. */
  work: string;
  /** Whether programs may run as the server's own user although others can reach the server. */
  allowsUnsandboxed: boolean;
  /** Whether only programs on this machine can reach the server. */
  isLoopbackOnly: boolean;
  /** Why no program may run although there is some isolation: it is less than was asked for, or than there was before. */
  isolationLoss?: string | undefined;
  network: ProgramNetwork;
  /** For package managers, which need one even where Actors have none. */
  packageNetwork: 'host' | 'private';
  /** Why programs have not a network of their own, where nobody has chosen another. */
  networkShortfall?: string | undefined;
  /** Whether this server executes builds and runs itself. */
  isExecuting: boolean;
  /** Whether clients reach it; else other nodes only. */
  isPublic: boolean;
  /** Where other nodes reach it. */
  nodeUrl: string | undefined;
  /** For all builds and runs of this node together. */
  nodeMemoryMbytes: number;
  nodeRuns: number;
  /** For all unfinished runs of one account together. */
  accountMemoryMbytes: number;
  accountRuns: number;
}
