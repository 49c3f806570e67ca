// What follows a write to the git of a repository: the time of the push, and a new count of languages and size.
import { schedule } from '../../kernel/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import { countLanguages } from '../git/languages.ts';
import { measureSizeKb } from '../git/repository-size.ts';
import { REPOSITORY_CHANNEL } from './access.ts';
import type { Repository } from './repository.ts';
import { findRepositoryByNumber, updateCounts, updatePushedState } from './store.ts';

export const COUNT_REPOSITORY = 'host.count-repository';

/** `refs` are the full names of the references that have changed. The work of counting is done once for many pushes. */
export async function recordPush(
  { db }: Pick<Kernel, 'db'>,
  { number, defaultBranch }: Repository,
  refs: readonly string[],
  now: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await updatePushedState(tx, number, { pushedAt: now });
    if (refs.includes(`refs/heads/${defaultBranch}`)) {
      const id = `${COUNT_REPOSITORY}:${number}`;
      const payload = JSON.stringify({ number });
      await schedule(tx, { id, kind: COUNT_REPOSITORY, payload, dueAt: now }, now, 'move');
    }
    await notifyOnCommit(tx, REPOSITORY_CHANNEL);
  });
}

/** Of the default branch. */
export async function countRepository({ db, services }: Kernel, number: number): Promise<void> {
  const repository = await findRepositoryByNumber(db, number);
  if (repository === undefined) return;
  const git = services.git.repository(number);
  const commit = await git.resolveCommit(`refs/heads/${repository.defaultBranch}`);
  const languages = commit === undefined ? {} : await countLanguages(git, commit.tree);
  const sizeKb = await measureSizeKb(git);
  await db.transaction().execute(async (tx) => {
    await updateCounts(tx, number, { sizeKb, languages });
    await notifyOnCommit(tx, REPOSITORY_CHANNEL);
  });
}
