// Gives the rule of a branch another name together with the branch, which is never without it.
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { readProtection, recordProtection, type FullProtection } from './change-protection.ts';
import { checkOnGit } from './check-ref-changes.ts';
import { ACTOR_PURPOSES } from './rule.ts';
import {
  deleteProtection,
  findProtection,
  listProtectionsOf,
  lockProtections,
  moveProtection,
  upsertProtection,
} from './store.ts';
import { replaceActors } from './store-actors.ts';

const BRANCHES = 'refs/heads/';

type Actor = ChangeActor & { caller: KnownCaller };

/** Names of branches. */
interface RenamedBranch {
  from: string;
  to: string;
  /** The commit of the branch. */
  oid: string;
}

/** Protected branches are renamed by administrators. `rename` moves the references. */
export async function renameWithProtection(
  kernel: Kernel,
  actor: Actor,
  found: FoundRepository,
  { from, to, oid }: RenamedBranch,
  rename: () => Promise<void>,
): Promise<void> {
  const { number } = found.repository;
  const protections = await listProtectionsOf(kernel.db, number, [from, to]);
  if (protections.has(to))
    await checkOnGit(kernel, found, actor.caller)({ name: BRANCHES + to, from: undefined, to: oid });
  if (!protections.has(from)) return await rename();
  actor.requirePermission(repositoryResource(found), 'updateBranchProtection');
  if ((await roleOn(kernel.db, actor.caller, found.repository)) !== 'admin')
    throw new Failure('denied', 'You must have admin rights to rename a protected branch.');
  const names = { from, to };
  const before = await begin(kernel, actor, found, names);
  try {
    await rename();
  } catch (error) {
    await undo(kernel, actor, found, names);
    throw error;
  }
  if (before !== undefined) await finish(kernel, actor, found, before, names);
}

/** From now on both names have the rule, so that a crash leaves no branch without it. */
async function begin(
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
async function undo(
  { db, services }: Kernel,
  { now }: Actor,
  { repository: { number } }: FoundRepository,
  { from, to }: Pick<RenamedBranch, 'from' | 'to'>,
): Promise<void> {
  if ((await services.git.repository(number).readRef(BRANCHES + to)) !== undefined) return;
  await db.transaction().execute(async (tx) => {
    await lockProtections(tx, number);
    const moved = await findProtection(tx, number, to);
    if (moved !== undefined) await moveProtection(tx, moved, from, now);
  });
}

async function finish(
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
