// What to search for in the authors and committers of commits, given the login or the address of a user.
import type { Db } from '../../kernel/storage/tables.ts';
import { noreplyAddressOf } from '../owners/noreply-address.ts';
import { findUser } from '../owners/store.ts';

/**
 * In the angle brackets of commits, so that no longer address matches. None for a login that nobody has. An address that
 * a user has added does not count: nothing proves that it is theirs.
 */
export async function listPersonTexts(db: Db, person: string): Promise<string[]> {
  if (person.includes('@')) return [`<${person}>`];
  const account = await findUser(db, person);
  if (account === undefined) return [];
  return [account.email, noreplyAddressOf(account)].map((email) => `<${email}>`);
}
