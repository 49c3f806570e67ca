// Makes the commit that a pull request is merged with, by one of the three methods: no reference leads to it yet.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createMergeCommit, createSquashCommit } from '../git/merge/create-merge.ts';
import { rebaseCommits } from '../git/merge/rebase.ts';
import type { GitCommit, GitPerson } from '../git/objects/commit-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { personOf, serverPerson } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { notMergeable } from '../pulls/pull.ts';
import { mergeMessage, squashMessage, type MergedPull, type SentMessage } from './commit-message.ts';
import { listCoAuthors, readSquashed } from './squashed-commits.ts';

export const MERGE_METHODS = ['merge', 'squash', 'rebase'] as const;
export type MergeMethod = (typeof MERGE_METHODS)[number];

export interface CommitOrder extends SentMessage {
  method: MergeMethod;
  /** The commit of the base branch. */
  base: string;
  caller: KnownCaller;
  now: number;
}

const NOT_REBASED = "This branch can't be rebased";

/** Durable once resolved. Throws what REST answers where it cannot be made: then nothing is left behind. */
export async function createCommit(
  kernel: Kernel,
  git: GitRepository,
  opened: OpenedPull,
  order: CommitOrder,
): Promise<string> {
  const { base, caller, now } = order;
  const { headSha: head } = opened.pull;
  if (order.method === 'rebase') {
    const committer = personOf(accountOf(caller), now);
    const rebased = await rebaseCommits(git, { base, head, committer });
    if (rebased.kind === 'too-many') throw notMergeable(`${NOT_REBASED}: it has too many commits.`);
    if (rebased.kind !== 'created' || rebased.commits.length === 0) throw notMergeable(`${NOT_REBASED}.`);
    return rebased.commit;
  }
  const committer = serverPerson(now);
  const made =
    order.method === 'merge'
      ? await createMergeCommit(git, {
          base,
          head,
          author: personOf(accountOf(caller), now),
          committer,
          message: mergeMessage(opened.repository.settings, await mergedPull(kernel, opened), order),
        })
      : await createSquashCommit(git, {
          base,
          head,
          ...(await describeSquash(kernel, git, opened, order)),
          committer,
        });
  if (made.kind !== 'created') throw notMergeable();
  return made.commit;
}

async function mergedPull({ db }: Kernel, { issue, pull }: OpenedPull): Promise<MergedPull> {
  const { headOwnerId: id, headRef } = pull;
  const owner = id === null ? undefined : (await listOwners(db, [id])).get(id);
  const from = owner === undefined ? headRef : `${owner.login}/${headRef}`;
  return { number: issue.number, title: issue.title, body: issue.body, from };
}

/** The author of the pull request is that of the commit. */
async function describeSquash(
  kernel: Kernel,
  git: GitRepository,
  opened: OpenedPull,
  order: CommitOrder,
): Promise<{ author: GitPerson; message: string }> {
  const { issue, pull, repository } = opened;
  const commits = await readSquashed(git, { base: order.base, head: pull.headSha });
  const { id } = issue.author;
  const account = id === null ? undefined : (await listAccounts(kernel.db, [id])).get(id);
  const author = account === undefined ? firstAuthor(commits, order) : personOf(account, order.now);
  const squashed = {
    messages: commits.map(({ message }) => message),
    coAuthors: await listCoAuthors(kernel, commits, { email: author.email, accountId: account?.id ?? null }),
  };
  const message = squashMessage(repository.settings, await mergedPull(kernel, opened), squashed, order);
  return { author, message };
}

/** Of a pull request whose author has no account. */
function firstAuthor([first]: readonly GitCommit[], { caller, now }: CommitOrder): GitPerson {
  if (first === undefined) return personOf(accountOf(caller), now);
  const { name, email } = first.author;
  return { name: name || email || 'unknown', email, time: now, zone: 0 };
}
