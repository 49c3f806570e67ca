// What all transfers of git share: how many go on at once, the hook, and the limits.
import { createHash } from 'node:crypto';
import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { PRIVATE_FOLDER } from '../../kernel/storage/disk/private-files.ts';
import { asStorageFailure } from '../../kernel/storage/storage-failure.ts';
import { DEFAULT_INFLATION, type InflationLimits } from '../git/received-pack.ts';
import { GitTransfers, type TransferLimits } from './git-transfers.ts';

/**
 * It writes the folder of the new objects and the lines that git gives it, and reads lines to print until the verdict. Where
 * the server dies, it reads the end of the pipe, and refuses.
 */
const PROGRAM = `#!/bin/sh
{ printf 'quarantine %s\\n' "$GIT_QUARANTINE_PATH" && cat && printf '\\n'; } >&3 || exit 1
while IFS= read -r line <&4; do
  case $line in
    accepted) exit 0 ;;
    refused) exit 1 ;;
    *) printf '%s\\n' "\${line#|}" >&2 ;;
  esac
done
exit 1
`;
const EXECUTABLE = 0o700;

/**
 * The one hook of git: a shell program that asks the server whether a push may be accepted, over pipes that
 * it inherits.
 */
class HookFolder {
  readonly #folder: string;

  /** Named by the content, so that servers of several releases can share the folder. */
  constructor(repositories: string) {
    const hash = createHash('sha256').update(PROGRAM).digest('hex').slice(0, 16);
    this.#folder = join(repositories, 'hooks', hash);
  }

  /**
   * The folder for `core.hooksPath`. Git would silently skip a hook that is missing or cannot be executed.
   * @throws {Failure} where it cannot be executed.
   */
  async ensure(): Promise<string> {
    const hook = join(this.#folder, 'pre-receive');
    try {
      await access(hook, constants.X_OK).catch(() => this.#write(hook));
      await access(hook, constants.X_OK);
    } catch (error) {
      throw asStorageFailure(error);
    }
    return this.#folder;
  }

  async #write(hook: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const fresh = `${hook}-${process.pid}`;
    try {
      await writeFile(fresh, PROGRAM, { mode: EXECUTABLE, flush: true });
      await rename(fresh, hook);
    } finally {
      await rm(fresh, { force: true });
    }
  }
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    packs: PackService;
  }
}

export interface PackSettings {
  /** The folder of all repositories. */
  repositories: string;
  /** The largest pack that a push may have. */
  maxPushBytes: number;
  /** How much the objects of a push may be when they are inflated. */
  inflation?: Partial<InflationLimits>;
}

export class PackService {
  readonly maxPushBytes: number;
  readonly inflation: InflationLimits;
  readonly hooks: HookFolder;
  /** Fetches and pushes: twice as many as cores. */
  readonly transfers: GitTransfers;

  constructor(
    { maxPushBytes, repositories, inflation }: PackSettings,
    clock: Clock,
    limits: Partial<TransferLimits> = {},
  ) {
    this.maxPushBytes = maxPushBytes;
    this.inflation = { ...DEFAULT_INFLATION, ...inflation };
    this.hooks = new HookFolder(repositories);
    this.transfers = new GitTransfers(
      'transfers of git',
      { max: 2 * availableParallelism(), ...limits },
      clock,
    );
  }

  /** Transfers that go on, and that wait. */
  get load(): { used: number; waiting: number } {
    return this.transfers.load;
  }
}
