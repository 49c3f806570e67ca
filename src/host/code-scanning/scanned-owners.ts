// Whose code-scanning alerts a caller may see: of all repositories that they may write to.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { rolesOn } from '../repositories/caller-roles.ts';
import { includesRole } from '../repositories/repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import {
  listGrantedNumbers,
  listWrittenOrganizations,
  type AlertsOwner,
} from './store-organization-alerts.ts';

/** An engine takes only so many parts of a statement, and there are three for each owner. */
const MAX_OWNERS = 100;
/** Repositories of others that are looked at. */
export const MAX_GRANTED = 1000;

/** Their own, those of organizations, and those of others that they may write to. */
export async function listScannedOwners(db: Db, caller: KnownCaller): Promise<AlertsOwner[]> {
  const { id } = accountOf(caller);
  const [organizations, granted] = await Promise.all([
    listWrittenOrganizations(db, id, MAX_OWNERS / 2),
    listGrantedNumbers(db, id, MAX_GRANTED),
  ]);
  const whole = new Set([id, ...organizations]);
  const others = [...(await listRepositoriesByNumber(db, granted)).values()].filter(
    ({ ownerId }) => !whole.has(ownerId),
  );
  const roles = await rolesOn(db, caller, others);
  const written = others.filter(({ number }) => includesRole(roles.get(number), 'write'));
  const byOwner = Map.groupBy(written, ({ ownerId }) => ownerId);
  return [
    ...[...whole].map((ownerId) => ({ ownerId })),
    ...[...byOwner].map(([ownerId, some]) => ({ ownerId, numbers: some.map(({ number }) => number) })),
  ].slice(0, MAX_OWNERS);
}
