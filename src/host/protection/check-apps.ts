// The apps that required status checks name.
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findApp } from '../apps/store.ts';
import type { RequiredCheck } from './rule.ts';

/** Throws for a number that is no app's: nobody could ever report the check. */
export async function checkApps(db: Db, checks: readonly RequiredCheck[], field: string): Promise<void> {
  const numbers = new Set(checks.flatMap(({ appId }) => appId ?? []));
  for (const number of numbers) {
    if ((await findApp(db, number)) !== undefined) continue;
    const account = await findAccount(db, { number });
    if (account?.isService !== true) throw problem(field, `must name apps that exist: ${number} does not`);
  }
}
