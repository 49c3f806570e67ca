// The service of git: all repositories of the server, and what they share.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import type { InstalledGit } from './process/git-environment.ts';
import { copyRepository, type ForkOptions } from './fork.ts';
import { GitProgram } from './process/git-process.ts';
import type { GitTarget } from './git-target.ts';
import { ObjectCache } from './objects/object-cache.ts';
import { ReaderPool } from './objects/reader-pool.ts';
import { RefReader } from './refs/ref-reader.ts';
import { RefWriters } from './refs/ref-writers.ts';
import { GitRepository, type RepositoryServices } from './repository.ts';
import { REF_TIMEOUT_MS, UPDATE_REFS } from './refs/update-refs.ts';
import {
  createRepositoryFolder,
  existsRepository,
  removeRepositoryFolder,
  repositoryFolder,
  sweepTemporaryFolders,
} from './repository-folder.ts';

const MEBIBYTE = 1024 ** 2;
/** About 30 MB. A push to a repository of more folders reads the further ones again. */
const MAX_EXPANSIONS = 200_000;
const IDLE_MS = 30_000;
/** Of some megabytes each. Further repositories start a process for each change. */
const MAX_REF_WRITERS = 8;
const ABSENT = 'Git is not installed on this server, or is older than 2.38.';

export interface GitSettings {
  /** The folder of all repositories, absolute. */
  folder: string;
  /** What `findGit` has found. */
  installed: InstalledGit | undefined;
  cacheBytes?: number;
  /** How many object readers may live at once, over all repositories. */
  maxReaders?: number;
  /** An object reader without requests for so long is ended. */
  idleMs?: number;
  /** How long a single object may take to be read. */
  readTimeoutMs?: number;
  /** The memory that one transfer of git may use. */
  memoryBytes?: number;
}

interface GitStatus {
  isAvailable: boolean;
  /** What is installed, or why it cannot be used. */
  message: string;
  processes: number;
}

export class Git {
  readonly #settings: GitSettings;
  readonly #services: RepositoryServices | undefined;

  /** `shared` are the services of another kind of repositories. */
  constructor(settings: GitSettings, shared?: RepositoryServices) {
    this.#settings = settings;
    this.#services = shared;
    const { installed, cacheBytes = 64 * MEBIBYTE, maxReaders = 8 + 2 * availableParallelism() } = settings;
    if (installed?.isSupported !== true || shared !== undefined) return;
    const { memoryBytes } = settings;
    const program = new GitProgram(installed.path, memoryBytes === undefined ? {} : { memoryBytes });
    const pool = new ReaderPool({
      start: (folder) =>
        program.start(['cat-file', '--batch-command', '--buffer'], { folder, work: 'reader' }),
      maxReaders,
      idleMs: settings.idleMs ?? IDLE_MS,
      timeoutMs: settings.readTimeoutMs ?? 30_000,
    });
    this.#services = {
      program,
      pool,
      cache: new ObjectCache(cacheBytes),
      refs: new RefReader(16 * MEBIBYTE),
      refWriters: new RefWriters({
        start: (folder) => program.start(UPDATE_REFS, { folder, work: 'reader' }),
        maxWriters: MAX_REF_WRITERS,
        idleMs: settings.idleMs ?? IDLE_MS,
        timeoutMs: REF_TIMEOUT_MS,
      }),
      expansions: new BoundedCache({ max: MAX_EXPANSIONS }),
    };
  }

  /** Repositories of another kind, numbered on their own, in a folder of this one. They share processes and memory. */
  ofKind(kind: string): Git {
    const services = this.#services;
    const shared = services && { ...services, cache: services.cache.forKind(`${kind}/`) };
    return new Git({ ...this.#settings, folder: join(this.#settings.folder, kind) }, shared);
  }

  /**
   * The services of every repository.
   * @throws {Failure} where git cannot be used.
   */
  require(): RepositoryServices {
    if (this.#services === undefined)
      throw new Failure('unavailable', `${ABSENT} Repositories cannot be used.`);
    return this.#services;
  }

  /** Does not look whether it exists. Processes that read for one call end with its signal. */
  repository(number: number, signal?: AbortSignal): GitRepository {
    const folder = repositoryFolder(this.#settings.folder, number);
    return new GitRepository(number, folder, this.require(), signal);
  }

  exists(number: number): Promise<boolean> {
    return existsRepository(repositoryFolder(this.#settings.folder, number));
  }

  /** Durable once resolved. */
  async createRepository(number: number, defaultBranch: string): Promise<GitRepository> {
    this.require();
    await createRepositoryFolder(this.#settings.folder, number, defaultBranch);
    return this.repository(number);
  }

  /** A copy that shares the files of objects with its source. Durable once resolved. */
  async forkRepository(
    source: number,
    number: number,
    { defaultBranch, ...options }: ForkOptions & { defaultBranch: string },
  ): Promise<GitRepository> {
    const from = this.repository(source);
    return await this.fillRepository(number, defaultBranch, (target) =>
      copyRepository(from, target, options),
    );
  }

  /** A new repository that `fill` writes to before anyone can see it. Durable once resolved. */
  async fillRepository(
    number: number,
    defaultBranch: string,
    fill: (target: GitTarget) => Promise<void>,
  ): Promise<GitRepository> {
    const { program } = this.require();
    await createRepositoryFolder(this.#settings.folder, number, defaultBranch, (folder) =>
      fill({ program, folder }),
    );
    return this.repository(number);
  }

  /** Succeeds, too, when there is nothing to remove. */
  async removeRepository(number: number): Promise<void> {
    const folder = repositoryFolder(this.#settings.folder, number);
    this.#services?.pool.forget(folder);
    this.#services?.refWriters.forget(folder);
    this.#services?.refs.forget(folder);
    await removeRepositoryFolder(this.#settings.folder, number);
  }

  /** Deletes what a crash left half created or half removed. */
  async sweep(now: number): Promise<void> {
    await sweepTemporaryFolders(this.#settings.folder, now);
  }

  status(): GitStatus {
    const { installed } = this.#settings;
    const processes = this.#services?.program.processes ?? 0;
    if (installed?.isSupported === true)
      return { isAvailable: true, message: `git ${installed.version} at ${installed.path}`, processes };
    const found = installed === undefined ? '' : ` Found: ${installed.version} at ${installed.path}.`;
    const message = `${ABSENT}${found} Install git 2.38 or newer and start the server again.`;
    return { isAvailable: false, message, processes };
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#services?.pool.close();
    this.#services?.refWriters.close();
    await this.#services?.program.close();
  }
}
