// Writes the files of a template to a new repository: one commit for each branch, without the template's history.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { copyTrees } from '../git/copy-trees.ts';
import type { GitTarget } from '../git/git-target.ts';
import { buildCommit } from '../git/new-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { updateRefs } from '../git/update-refs.ts';
import { writeObjects } from '../git/write-objects.ts';
import { personOf } from '../repositories/person.ts';

const MAX_BRANCHES = 1000;

interface TemplateOptions {
  defaultBranch: string;
  hasAllBranches: boolean;
  /** The author of the commits. */
  account: Account;
  at: number;
}

/** The new repository is empty where the template is. */
export async function writeTemplate(
  template: GitRepository,
  target: GitTarget,
  { defaultBranch, hasAllBranches, account, at }: TemplateOptions,
): Promise<void> {
  const main = `refs/heads/${defaultBranch}`;
  const listed = await template.listRefs({
    prefix: hasAllBranches ? 'refs/heads/' : main,
    limit: MAX_BRANCHES,
  });
  const refs = hasAllBranches ? listed : listed.filter(({ name }) => name === main);
  const commits = await Promise.all(refs.map(({ oid }) => template.readCommit(oid)));
  const trees = commits.map((commit) => commit!.tree);
  if (trees.length === 0) return;
  await copyTrees(template, target, [...new Set(trees)]);
  const person = personOf(account, at);
  const initial = (tree: string) =>
    buildCommit({ tree, parents: [], author: person, committer: person, message: 'Initial commit\n' });
  const objects = trees.map(initial);
  await writeObjects(target, objects);
  await updateRefs(
    target,
    refs.map(({ name }, index) => ({ name, from: undefined, to: objects[index]!.oid })),
  );
}
