// Gives a branch another name together with its rule, which it is never without. The default branch stays the default under its new name.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { GitRepository } from '../git/repository.ts';
import { isNamedLikeId, isBranchName } from '../git/refs/revision.ts';
import { RefUpdateRefused, type RefUpdate } from '../git/refs/update-refs.ts';
import { changeRefs } from '../pushes/push.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { changeRepository } from '../repositories/changes/change-repository.ts';
import { branchNotFound } from '../commits/find-commit.ts';
import { readProtection, recordProtection, type FullProtection } from '../protection/change-protection.ts';
import { checkOnGit, type RefChange } from '../protection/check-ref-changes.ts';
import { ACTOR_PURPOSES } from '../protection/rule.ts';
import {
  deleteProtection,
  findProtection,
  listProtectionsOf,
  lockProtections,
  moveProtection,
  upsertProtection,
} from '../protection/store.ts';
import { replaceActors } from '../protection/store-actors.ts';

const PREFIX = 'refs/heads/';
/** How often a change is tried again after others have moved the branch. */
const MAX_TRIES = 10;

type Actor = Parameters<typeof changeRepository>[1];

/** Full names of references. */
interface Names {
  from: string;
  to: string;
}

export async function renameBranch(
  kernel: Kernel,
  actor: Actor,
  found: FoundRepository,
  branch: string,
  newName: string,
): Promise<void> {
  const { repository } = found;
  const git = kernel.services.git.repository(repository.number);
  const move = (updates: RefUpdate[]) => changeRefs(kernel, actor, found, updates);
  const names = { from: PREFIX + branch, to: PREFIX + newName };
  const oid = await git.readRef(names.from);
  if (oid === undefined) throw branchNotFound();
  if (!isBranchName(newName) || isNamedLikeId(names.to))
    throw problem('new_name', 'is not a valid name of a branch');
  if ((await git.readRef(names.to)) !== undefined) throw alreadyExists();
  await renameWithProtection(kernel, actor, found, { from: branch, to: newName, oid }, async () => {
    if (branch === repository.defaultBranch) return await renameDefault(kernel, actor, found, names);
    await changeUntilDone(git, move, names, (tip) => [
      { name: names.to, from: undefined, to: tip },
      removal(names, tip),
    ]);
  });
}

/** The default branch exists at every moment: it is copied, the copy becomes the default, and then the old one goes. */
async function renameDefault(
  kernel: Kernel,
  actor: Actor,
  found: FoundRepository,
  names: Names,
): Promise<void> {
  actor.requirePermission(repositoryResource(found), 'updateRepository');
  if ((await roleOn(kernel.db, actor.caller, found.repository)) !== 'admin')
    throw new Failure('denied', 'You must have admin rights to rename the default branch.');
  const git = kernel.services.git.repository(found.repository.number);
  const move = (updates: RefUpdate[]) => changeRefs(kernel, actor, found, updates);
  await changeUntilDone(git, move, names, (oid) => [{ name: names.to, from: undefined, to: oid }]);
  const copied = await git.readRef(names.to);
  await changeRepository(kernel, actor, found, { default_branch: names.to.slice(PREFIX.length) });
  await changeUntilDone(git, move, names, (oid) => {
    if (oid === copied) return [removal(names, oid)];
    // Commits that came to the old name meanwhile are taken along.
    return [{ name: names.to, from: copied, to: oid }, removal(names, oid)];
  });
}

/** Pull requests follow the branch to its new name, and are not closed. */
function removal({ from: name, to: renamedTo }: Names, oid: string): RefUpdate & RefChange {
  return { name, from: oid, to: undefined, renamedTo };
}

/** `plan` gets the commit of the old name, and is asked again where that has changed meanwhile. */
async function changeUntilDone(
  git: GitRepository,
  move: (updates: RefUpdate[]) => Promise<void>,
  { from, to }: Names,
  plan: (oid: string) => RefUpdate[],
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const oid = await git.readRef(from);
    if (oid === undefined) throw branchNotFound();
    try {
      return await move(plan(oid));
    } catch (error) {
      if (!(error instanceof RefUpdateRefused)) throw error;
      if (error.reason === 'name-conflict') throw new Failure('invalid', error.message);
      if (error.reason === 'changed' && error.ref === to) throw alreadyExists();
      if ((error.reason !== 'changed' && error.reason !== 'locked') || tries === MAX_TRIES) throw error;
    }
  }
}

function alreadyExists(): Failure {
  return new Failure('invalid', 'A branch with the new name already exists');
}

/** Names of branches. */
interface RenamedBranch {
  from: string;
  to: string;
  /** The commit of the branch. */
  oid: string;
}

/** Protected branches are renamed by administrators. `rename` moves the references. */
async function renameWithProtection(
  kernel: Kernel,
  actor: Actor,
  found: FoundRepository,
  { from, to, oid }: RenamedBranch,
  rename: () => Promise<void>,
): Promise<void> {
  const { number } = found.repository;
  const protections = await listProtectionsOf(kernel.db, number, [from, to]);
  if (protections.has(to))
    await checkOnGit(kernel, found, actor.caller)({ name: PREFIX + to, from: undefined, to: oid });
  if (!protections.has(from)) return await rename();
  actor.requirePermission(repositoryResource(found), 'updateBranchProtection');
  if ((await roleOn(kernel.db, actor.caller, found.repository)) !== 'admin')
    throw new Failure('denied', 'You must have admin rights to rename a protected branch.');
  const names = { from, to };
  const before = await beginMove(kernel, actor, found, names);
  try {
    await rename();
  } catch (error) {
    await undoMove(kernel, actor, found, names);
    throw error;
  }
  if (before !== undefined) await finishMove(kernel, actor, found, before, names);
}

/** From now on both names have the rule, so that a crash leaves no branch without it. */
async function beginMove(
  { db }: Kernel,
  { now }: Actor,
  found: FoundRepository,
  { from, to }: Pick<RenamedBranch, 'from' | 'to'>,
): Promise<FullProtection | undefined> {
  return await db.transaction().execute(async (tx) => {
    const { number } = found.repository;
    await lockProtections(tx, number);
    const known = await readProtection(tx, found, from);
    if (known === undefined) return undefined;
    await moveProtection(tx, known, to, now);
    await insertCopy(tx, known, now);
    return known;
  });
}

async function insertCopy(
  tx: Db,
  { repositoryNumber, branch, rule, actors }: FullProtection,
  now: number,
): Promise<void> {
  const copy = await upsertProtection(tx, repositoryNumber, branch, rule, now);
  for (const purpose of ACTOR_PURPOSES) await replaceActors(tx, copy.number, purpose, actors[purpose]);
}

/** Where the new name has come to exist all the same, both keep the rule. */
async function undoMove(
  { db, services }: Kernel,
  { now }: Actor,
  { repository: { number } }: FoundRepository,
  { from, to }: Pick<RenamedBranch, 'from' | 'to'>,
): Promise<void> {
  if ((await services.git.repository(number).readRef(PREFIX + to)) !== undefined) return;
  await db.transaction().execute(async (tx) => {
    await lockProtections(tx, number);
    const moved = await findProtection(tx, number, to);
    if (moved !== undefined) await moveProtection(tx, moved, from, now);
  });
}

async function finishMove(
  { changes }: Kernel,
  actor: Actor,
  found: FoundRepository,
  before: FullProtection,
  { from, to }: Pick<RenamedBranch, 'from' | 'to'>,
): Promise<void> {
  await changes.run(actor, async (tx) => {
    const { number } = found.repository;
    await lockProtections(tx.db, number);
    const copy = await findProtection(tx.db, number, from);
    if (copy !== undefined) await deleteProtection(tx.db, copy.number);
    await recordProtection(tx, found, before, { ...before, branch: to, updatedAt: actor.now });
  });
}
