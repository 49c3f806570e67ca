// Due work after changes of repositories, and what schedules it: removes the folders of deleted ones, counts what pushes have changed, and writes the default branch for clones.
import { waitForBackups } from '../../../kernel/backup/hold-blobs.ts';
import type { BackgroundWork } from '../../../kernel/http/protocol.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { finish, schedule, scheduleStatement, type Due } from '../../../kernel/jobs/due-store.ts';
import { notifyOnCommit } from '../../../kernel/storage/notify-on-commit.ts';
import type { SqlStatement } from '../../../kernel/storage/statement.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { deleteScanning } from '../../code-scanning/store-deleting.ts';
import { deleteIssues } from '../../issues/store.ts';
import { limitedWork } from '../../maintenance/schedule-maintenance.ts';
import { findLicenseFile } from '../../contents/find-content.ts';
import type { GitCommit } from '../../git/objects/commit-object.ts';
import { countLanguages } from '../../git/languages.ts';
import { measureSizeKb } from '../../git/maintenance/repository-size.ts';
import type { GitRepository } from '../../git/repository.ts';
import { setDefaultBranch } from '../../git/refs/update-refs.ts';
import { OTHER_LICENSE_ID } from '../../licenses/license.ts';
import { MAX_LICENSE_BYTES, recognizeLicense } from '../../licenses/recognize-license.ts';
import { deleteRepositoryFromInstallations } from '../../apps/store-reach.ts';
import { scheduleHookRemoval } from '../../hooks/change-hooks.ts';
import {
  deleteRepositoryRow,
  findRepositoryByNumber,
  updateCounts,
  markRepositoryDeleted,
} from '../store.ts';
import { REPOSITORY_CHANNEL } from '../access.ts';
import { orphanWithheldForks } from '../store-visibility.ts';

const DELETE_REPOSITORY = 'host.delete-repository';
const COUNT_REPOSITORY = 'host.count-repository';
const WRITE_HEAD = 'host.write-head';
/** How often at most the languages and the size of a repository are counted. */
const COUNT_MS = 5000;

/** How often folders are looked for that a crash has left half made. The times of files are those of the system. */
const SWEEP_MS = 60 * 60 * 1000;

export function repositoryWork(kernel: Kernel): BackgroundWork {
  const { db, services } = kernel;
  return {
    recurring: [{ kind: 'host.sweep', everyMs: SWEEP_MS, run: () => services.git.sweep(systemClock.now()) }],
    handlers: {
      [DELETE_REPOSITORY]: waitForBackups(kernel)(async ({ payload }) => {
        const { number } = JSON.parse(payload) as { number: number };
        await services.git.removeRepository(number);
        await deleteScanning(db, number);
        await deleteIssues(db, number);
        await deleteRepositoryRow(db, number);
      }),
      [COUNT_REPOSITORY]: limitedWork(kernel, async (due) => {
        const { number } = JSON.parse(due.payload) as { number: number };
        await countRepository(kernel, number, due);
      }),
      async [WRITE_HEAD]({ payload }) {
        const { number } = JSON.parse(payload) as { number: number };
        await writeHead(kernel, number);
      },
    },
  };
}

/** Nobody finds it from then on; background work deletes its folder. */
export async function scheduleDeletion(tx: Db, number: number, now: number): Promise<void> {
  await orphanWithheldForks(tx, number);
  await markRepositoryDeleted(tx, number, now);
  const id = `${DELETE_REPOSITORY}:${number}`;
  await schedule(tx, { id, kind: DELETE_REPOSITORY, payload: JSON.stringify({ number }), dueAt: now }, now);
  await scheduleHookRemoval(tx, { repository: number }, now);
  await deleteRepositoryFromInstallations(tx, number);
}

/** In the transaction that records a push to the default branch. It reads the whole tree, so that all pushes of some seconds share it. */
export function countStatement(tx: Db, number: number, now: number): SqlStatement {
  // The next but one, so that no worker has to be woken for it.
  const dueAt = (Math.floor(now / COUNT_MS) + 2) * COUNT_MS;
  const id = `${COUNT_REPOSITORY}:${number}`;
  const payload = JSON.stringify({ number });
  return scheduleStatement(tx, { id, kind: COUNT_REPOSITORY, payload, dueAt }, now, 'move');
}

/** Of the default branch. Where a push has moved the work meanwhile, its own count is the newer one. */
async function countRepository({ db, services }: Kernel, number: number, due: Due): Promise<void> {
  const repository = await findRepositoryByNumber(db, number);
  if (repository === undefined) return;
  const git = services.git.repository(number);
  const commit = await git.resolveCommit(`refs/heads/${repository.defaultBranch}`);
  const languages = commit === undefined ? {} : await countLanguages(git, commit.tree);
  const license = commit === undefined ? null : await readLicense(git, commit, repository.license);
  const sizeKb = await measureSizeKb(git);
  await db.transaction().execute(async (tx) => {
    if (!(await finish(tx, due))) return;
    await updateCounts(tx, number, { sizeKb, languages, license });
    await notifyOnCommit(tx, REPOSITORY_CHANNEL);
  });
}

/** Null without a file of that name. */
async function readLicense(
  git: GitRepository,
  commit: GitCommit,
  chosen: string | null,
): Promise<string | null> {
  const file = await findLicenseFile({ git, commit });
  if (file === undefined) return null;
  const blob = await git.readBlob(file.oid, MAX_LICENSE_BYTES);
  return blob?.content === undefined
    ? OTHER_LICENSE_ID
    : await recognizeLicense(blob.content.toString(), chosen);
}

/** In the transaction of the change. The work does nothing new where this process lives on to write the branch itself. */
export async function scheduleHead(tx: Db, number: number, now: number): Promise<void> {
  const work = { id: `${WRITE_HEAD}:${number}`, kind: WRITE_HEAD, payload: JSON.stringify({ number }) };
  await schedule(tx, { ...work, dueAt: now }, now, 'move');
}

/** Clones check this branch out. It looks again afterwards: another may have been chosen, and written, meanwhile. */
async function writeHead({ db, services: { git } }: Kernel, number: number): Promise<void> {
  let written: string | undefined;
  for (;;) {
    const branch = (await findRepositoryByNumber(db, number))?.defaultBranch;
    if (branch === undefined || branch === written) return;
    await setDefaultBranch(git.repository(number), branch);
    written = branch;
  }
}

/** After the transaction that schedules it, so that a clone after the reply has it. Due work writes it too, perhaps at this moment. */
export async function writeHeadNow(kernel: Kernel, number: number): Promise<void> {
  await writeHead(kernel, number).catch((error: unknown) => {
    kernel.log.warn({ err: error, repository: number }, 'the default branch is written later');
  });
}
