// What to search for in the authors and committers of commits, given the login or the address of a user.
import type { Db } from '../../kernel/storage/tables.ts';
import { noreplyAddressOf } from '../owners/noreply-address.ts';
import { findUser } from '../owners/store.ts';
import { listAddedEmails } from '../users/store-emails.ts';

/** In the angle brackets of commits, so that no longer address matches. None for a login that nobody has. */
export async function listPersonTexts(db: Db, person: string): Promise<string[]> {
  if (person.includes('@')) return [`<${person}>`];
  const account = await findUser(db, person);
  if (account === undefined) return [];
  const emails = [account.email, noreplyAddressOf(account), ...(await listAddedEmails(db, account.id))];
  return emails.map((email) => `<${email}>`);
}
