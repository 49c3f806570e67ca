// Who may dismiss the reviews of pull requests into a branch.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { includesRole } from '../repositories/repository.ts';
import type { Pusher } from './check-ref-changes.ts';
import { listPurposesOf } from './store-actors.ts';
import { findProtection } from './store.ts';

/** Those who may write; where the rule of the base branch names some for it, they alone, and administrators of the repository. */
export async function mayDismiss(
  db: Db,
  { repository }: FoundRepository,
  { caller, role }: Required<Omit<Pusher, 'isForkSync'>>,
  baseRef: string,
): Promise<boolean> {
  if (!includesRole(role, 'write')) return false;
  if (role === 'admin') return true;
  const protection = await findProtection(db, repository.number, baseRef);
  if (protection?.rule.reviews?.restrictsDismissals !== true) return true;
  return (await listPurposesOf(db, protection.number, repository, accountOf(caller).id)).has('dismiss');
}
