// The folder of a new repository, with the commit that it may begin with.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { buildBlob, buildCommit, buildTree } from '../git/new-object.ts';
import { updateRefs } from '../git/update-refs.ts';
import { writeObjects } from '../git/write-objects.ts';
import { personOf } from './person.ts';
import type { Repository } from './repository.ts';

export async function createFolder(
  { services: { git } }: Kernel,
  { number, defaultBranch }: Repository,
  files: ReadonlyMap<string, string>,
  account: Account,
  now: number,
): Promise<void> {
  const target = await git.createRepository(number, defaultBranch);
  if (files.size === 0) return;
  const blobs = [...files].map(([name, text]) => ({ name, blob: buildBlob(Buffer.from(text)) }));
  const tree = buildTree(blobs.map(({ name, blob }) => ({ mode: '100644', name, oid: blob.oid })));
  const person = personOf(account, now);
  const commit = buildCommit({
    tree: tree.oid,
    parents: [],
    author: person,
    committer: person,
    message: 'Initial commit\n',
  });
  await writeObjects(target, [...blobs.map(({ blob }) => blob), tree, commit]);
  await updateRefs(target, [{ name: `refs/heads/${defaultBranch}`, from: undefined, to: commit.oid }]);
}
