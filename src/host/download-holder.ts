// For whom the address of a download was made: what they lose, its token loses at once.
import { accountOf, type Caller, type KnownCaller } from '../kernel/identity/caller.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { installationOf } from './apps/program.ts';
import { findInstallation } from './apps/store-installations.ts';
import { listReachedNumbers } from './apps/store-reach.ts';
import { mayRead, type FoundRepository } from './repositories/access.ts';
import { isWithheld } from './repositories/store-withheld.ts';

/** A token of a member, the member of a session, or an installation of an app. */
export function downloadHolder(caller: Caller): string {
  if (caller.kind === 'anonymous') return '';
  const installation = installationOf(caller)?.reach.installation;
  if (installation !== undefined) return `installation-${installation}`;
  const { token } = caller;
  return token === undefined ? `account-${accountOf(caller).id}` : `token-${token.id}`;
}

/** Whether the holder may read the repository now. */
export async function mayHolderRead(
  kernel: Kernel,
  holder: string,
  found: FoundRepository,
  now: number,
): Promise<boolean> {
  const [kind, id = ''] = holder.split('-', 2);
  if (kind === 'installation') return await reaches(kernel, Number(id), found);
  const caller = await findHolder(kernel, kind!, id, now);
  return caller !== undefined && (await mayRead(kernel.db, { caller }, found));
}

async function findHolder(
  { db, identity }: Kernel,
  kind: string,
  id: string,
  now: number,
): Promise<KnownCaller | undefined> {
  if (kind === 'token') return await identity.callerOfToken(db, id, now);
  return kind === 'account' ? await identity.callerOfAccount(db, id, now) : undefined;
}

async function reaches({ db }: Kernel, number: number, { repository }: FoundRepository): Promise<boolean> {
  const installation = await findInstallation(db, number);
  if (!installation || installation.removedAt !== null || installation.suspendedAt !== null) return false;
  const { accountId, selection } = installation;
  const reach = { installation: number, accountId, selection, only: null };
  const reached = await listReachedNumbers(db, reach, [repository.number]);
  return reached.has(repository.number) && !(await isWithheld(db, repository));
}
