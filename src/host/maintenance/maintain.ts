// Due work: tidies a repository or a gist that needs it, one at a time on each node, and gives way to pushes.
import { isBackupOpen } from '../../kernel/backup/backup-store.ts';
import { waitForBackups } from '../../kernel/backup/hold-blobs.ts';
import { Semaphore } from '../../kernel/collections/semaphore.ts';
import { Failure } from '../../kernel/failure.ts';
import { release, retry, type Due, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel, Services } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findGistByNumber } from '../gists/store.ts';
import type { Git } from '../git/git.ts';
import { removeLeftovers } from '../git/maintenance/leftovers.ts';
import { isStoppedByLimits } from '../git/process/process-limits.ts';
import {
  countRepositoryFiles,
  packRefs,
  repackRepository,
  writeCommitGraph,
} from '../git/maintenance/repack.ts';
import type { GitRepository } from '../git/repository.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import {
  EXPIRY_MS,
  needsMaintenance,
  PAUSE_MS,
  scheduleExpiry,
  schedulePaused,
  type MaintenancePayload,
  MAINTAIN_GIST,
  MAINTAIN_REPOSITORY,
  type MaintenanceKind,
} from './schedule-maintenance.ts';
import { isGistWritten, isPushed } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** One repository at a time: repacking takes all the disk can give. */
    maintenance: Semaphore;
  }
}

const LATER_MS = 60_000;
/** How often a running repack looks whether a push has begun. */
const WATCH_MS = 2000;
/** After so many attempts it no longer gives way, and deletes nothing: otherwise the busiest repository would never be tidied. */
const MAX_POLITE_ATTEMPTS = 30;

export function openMaintenance(): Semaphore {
  return new Semaphore({ max: 1, maxWaiting: 0, refusal: 'Another repository is being tidied.' });
}

/** The work of one kind. */
export function maintenanceHandler(kernel: Kernel, kind: MaintainedKind): DueHandler {
  const { db, clock } = kernel;
  return waitForBackups(kernel)(async (due, signal) => {
    const { number, pause } = JSON.parse(due.payload) as MaintenancePayload;
    if (pause !== undefined) {
      const now = clock.now();
      // A push has advanced it.
      if (pause.until > now)
        return await schedulePaused(db, kind.work, number, { ...pause, isChanged: true }, now);
      // Nothing was pushed since: it would end the same way. The next push schedules it.
      if (!pause.isChanged) return undefined;
    }
    const end = await maintainInTurn(kernel, kind, number, due, signal);
    const now = clock.now();
    if (end === 'pushed') await retry(db, due, now + LATER_MS, 'The repository was pushed to.');
    // The wait for other repositories is no attempt.
    else if (end === 'busy') await release(db, due, now + LATER_MS);
    else if (end === 'expiring') await scheduleExpiry(db, kind.work, number, now);
    else if (end === 'stopped')
      await schedulePaused(db, kind.work, number, { until: now + PAUSE_MS, isChanged: false }, now);
    return undefined;
  });
}

type End =
  | 'done'
  | 'expiring' // unreachable objects are left, which expire later
  | 'pushed' // it gave way to a push
  | 'stopped' // git needed more than it may use
  | 'busy'; // this node tidies another repository

async function maintainInTurn(
  kernel: Kernel,
  kind: MaintainedKind,
  number: number,
  due: Due,
  signal: AbortSignal,
): Promise<End> {
  const { db, services, clock } = kernel;
  const git = kind.git(services);
  const exists = () => kind.exists(db, number);
  if (!(await exists()) || !(await git.exists(number))) return 'done';
  const isPolite = due.attempts <= MAX_POLITE_ATTEMPTS;
  if (isPolite && (await kind.isPushed(db, number))) return 'pushed';
  const repository = git.repository(number);
  const files = await countRepositoryFiles(repository.folder);
  if (!needsMaintenance(files, clock.now())) return files.cruftAt === undefined ? 'done' : 'expiring';
  const free = await services.maintenance.acquire(signal).catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
  if (free === undefined) return 'busy';
  const watch = new PushWatch(kernel, kind, number, signal);
  try {
    return await maintain(kernel, kind, repository, isPolite ? watch.signal : signal, isPolite);
  } catch (error) {
    if (isStoppedByLimits(error)) {
      kernel.log.warn(
        { err: error, [kind.logged]: number, pauseMs: PAUSE_MS },
        'A repository is not repacked: git needs more memory or time than it may use',
      );
      return 'stopped';
    }
    if (watch.hasBegun && !signal.aborted) return 'pushed';
    if (await exists()) throw error;
    return 'done';
  } finally {
    watch.stop();
    free();
    // Git may have made folders anew that were removed while it ran.
    if (!(await exists())) await git.removeRepository(number);
  }
}

async function maintain(
  { clock, log }: Kernel,
  { logged }: MaintainedKind,
  repository: GitRepository,
  signal: AbortSignal,
  mayExpire: boolean,
): Promise<End> {
  const { number, folder } = repository;
  const now = clock.now();
  const leftovers = await removeLeftovers(folder, now);
  await packRefs(repository);
  await repackRepository(repository, { ...(mayExpire && { expireBefore: now - EXPIRY_MS }), signal });
  await writeCommitGraph(repository, signal);
  const files = await countRepositoryFiles(folder);
  log.info({ [logged]: number, leftovers, ...files }, 'A repository was repacked');
  return files.cruftAt === undefined ? 'done' : 'expiring';
}

/** Its signal fires when a push begins, when the repository is deleted, or with another signal. */
class PushWatch {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  hasBegun = false;

  constructor({ db, clock }: Kernel, kind: MaintainedKind, number: number, other: AbortSignal) {
    this.signal = AbortSignal.any([this.#stop.signal, other]);
    const look = async () => {
      this.hasBegun ||= (await kind.isPushed(db, number)) || (await isBackupOpen(db, clock.now()));
      if (this.hasBegun || !(await kind.exists(db, number)))
        this.#stop.abort(new Error('The repository is needed.'));
    };
    // A database that is away is no reason to stop.
    this.#timer = setInterval(() => void look().catch(() => {}), WATCH_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** What maintenance needs to know about repositories or gists. */
interface MaintainedKind {
  work: MaintenanceKind;
  /** The field that names one of them in log lines. */
  logged: string;
  git(services: Services): Git;
  /** Whether there is a row that is not deleted. */
  exists(db: Db, number: number): Promise<boolean>;
  /** Whether a push is under way, on any node. */
  isPushed(db: Db, number: number): Promise<boolean>;
}

export const MAINTAINED_REPOSITORIES: MaintainedKind = {
  work: MAINTAIN_REPOSITORY,
  logged: 'repository',
  git: ({ git }) => git,
  exists: async (db, number) => (await findRepositoryByNumber(db, number)) !== undefined,
  isPushed,
};

export const MAINTAINED_GISTS: MaintainedKind = {
  work: MAINTAIN_GIST,
  logged: 'gist',
  git: ({ gistGit }) => gistGit,
  exists: async (db, number) => (await findGistByNumber(db, number)) !== undefined,
  isPushed: isGistWritten,
};
