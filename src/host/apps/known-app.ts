// Who knows an app that is not public.
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { listAccountMemberships } from '../repositories/store-lists.ts';
import type { HostApp } from './app.ts';

/** Its owner, the members of the organization that owns it, the app itself, and administrators. */
export async function knowsApp(db: Db, caller: Caller | undefined, app: HostApp): Promise<boolean> {
  if (app.isPublic) return true;
  if (caller === undefined || caller.kind === 'anonymous') return false;
  const { id } = accountOf(caller);
  if (id === app.ownerId || id === app.botId || administersHost(caller)) return true;
  return (await listAccountMemberships(db, id)).some(({ organizationId }) => organizationId === app.ownerId);
}
