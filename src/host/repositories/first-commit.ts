// The folder of a new repository, with the commit that it may begin with.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { commitFiles } from '../git/commit-files.ts';
import { changeRefs } from '../pushes/change-refs.ts';
import type { FoundRepository } from './access.ts';
import { personOf } from './person.ts';

export async function createFolder(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const { number, defaultBranch } = found.repository;
  const git = await kernel.services.git.createRepository(number, defaultBranch);
  if (files.size === 0) return;
  const ref = `refs/heads/${defaultBranch}`;
  const person = personOf(accountOf(actor.caller), actor.now);
  const commit = {
    ref,
    parent: undefined,
    changes: [...files].map(([path, text]) => ({ path, content: Buffer.from(text) })),
    author: person,
    committer: person,
    message: 'Initial commit\n',
  };
  await commitFiles(git, commit, (updates) => changeRefs(kernel, actor, found, updates));
}
