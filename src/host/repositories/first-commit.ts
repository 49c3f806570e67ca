// The folder of a new repository, with the commit that it may begin with.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { commitFiles } from '../git/commit-files.ts';
import { personOf } from './person.ts';
import { recordPush } from './record-push.ts';
import type { Repository } from './repository.ts';

export async function createFolder(
  kernel: Kernel,
  repository: Repository,
  files: ReadonlyMap<string, string>,
  account: Account,
  now: number,
): Promise<void> {
  const { number, defaultBranch } = repository;
  const git = await kernel.services.git.createRepository(number, defaultBranch);
  if (files.size === 0) return;
  const ref = `refs/heads/${defaultBranch}`;
  const person = personOf(account, now);
  await commitFiles(git, {
    ref,
    parent: undefined,
    changes: [...files].map(([path, text]) => ({ path, content: Buffer.from(text) })),
    author: person,
    committer: person,
    message: 'Initial commit\n',
  });
  await recordPush(kernel, repository, [ref], now);
}
