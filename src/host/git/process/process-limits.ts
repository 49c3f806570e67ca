// What one process of git may use: the system ends or refuses it beyond that, whatever a repository contains. ADR 0073.
import { Failure } from '../../../kernel/failure.ts';

/**
 * - `read`: answers one call
 * - `reader`: reads objects for many calls
 * - `transfer`: sends or receives a pack, with the processes that it starts
 * - `maintain`: tidies or checks a whole repository
 */
export type GitWork = 'read' | 'reader' | 'transfer' | 'maintain';

interface ResourceLimits {
  memoryBytes: number;
  /** Of the process itself: absent for one that lives as long as it is used. */
  cpuSeconds?: number;
}

/** The memory of a transfer, by which the others are measured. */
export const DEFAULT_GIT_MEMORY = 512 * 1024 ** 2;
const HOUR = 60 * 60;
/** The shell says `exec`, so that the process stays the one that was started. It costs less than the program `prlimit`. */
const SHELL = '/bin/sh';
/** Where the system already allows less, that stays. */
const SCRIPT = 'ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec "$0" "$@"';

export function limitsOf(work: GitWork, transferBytes: number): ResourceLimits {
  const limits: Record<GitWork, ResourceLimits> = {
    read: { memoryBytes: transferBytes / 2, cpuSeconds: HOUR / 6 },
    reader: { memoryBytes: transferBytes / 2 },
    transfer: { memoryBytes: transferBytes, cpuSeconds: HOUR },
    maintain: { memoryBytes: 2 * transferBytes, cpuSeconds: 6 * HOUR },
  };
  return limits[work];
}

/**
 * The command that runs the program within the limits, for itself and what it starts. The memory is that of its data
 * (`RLIMIT_DATA`): a limit of addresses would count the packs that git maps. macOS does not enforce it.
 */
export function limitedCommand(
  path: string,
  args: readonly string[],
  { memoryBytes, cpuSeconds }: ResourceLimits,
): { file: string; args: string[] } {
  const kibibytes = String(Math.ceil(memoryBytes / 1024));
  const seconds = cpuSeconds === undefined ? 'unlimited' : String(cpuSeconds);
  return { file: SHELL, args: ['-c', SCRIPT, path, kibibytes, seconds, ...args] };
}

const OUT_OF_MEMORY =
  /out of memory|malloc failed|attempting to allocate|cannot allocate memory|mmap failed/i;

/** Whether a process ended because of its limits. */
export function hasExceededLimits({
  signal,
  stderr,
}: {
  signal: NodeJS.Signals | null;
  stderr: string;
}): boolean {
  return signal === 'SIGXCPU' || OUT_OF_MEMORY.test(stderr);
}

/** Is thrown when git needed more than it may use. Another try would end the same way. */
export class GitLimitExceeded extends Failure {
  constructor(command: string, cause?: unknown) {
    super(
      'invalid',
      `The server stopped git ${command}: the content of the repository takes more memory or time than it may.`,
      { code: 'too_large', ...(cause !== undefined && { cause }) },
    );
    this.name = 'GitLimitExceeded';
  }
}

/** Is thrown when git was stopped because it took too long. A less busy server may be faster. */
export class GitTimedOut extends Failure {
  constructor(command: string) {
    super('unavailable', `The server stopped git ${command} because it took too long. Try again later.`);
    this.name = 'GitTimedOut';
  }
}

/** Whether work that nobody waits for would probably end the same way again. */
export function isStoppedByLimits(error: unknown): boolean {
  return error instanceof GitLimitExceeded || error instanceof GitTimedOut;
}
