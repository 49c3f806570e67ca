// Bots: the accounts of programs that an API knows by itself, such as the apps of the host. They act, but own nothing.
import { newId } from '../id.ts';
import type { Db } from '../storage/tables.ts';
import type { Account } from './store-accounts.ts';
import type { MemberName } from './store-members.ts';

/** Usernames of members and service tokens have no brackets, so these can never collide with them. */
const SUFFIX = '[bot]';
const USERNAME = /^[a-z0-9][a-z0-9-]{0,99}\[bot\]$/;
/** Above the numbers of all other accounts, and within the range of a GraphQL Int. */
const FIRST_BOT_NUMBER = 2_000_000_000;
const MAX_BOT_NUMBER = 2 ** 31 - 1;
const ID = /^[0-9a-f]{24}$/;
/** Mail to it is never delivered: the domain is reserved for examples. */
const MAIL_DOMAIN = 'bots.signalbox.example';

/** In whatever case. */
export function isBotUsername(username: string): boolean {
  return USERNAME.test(username.toLowerCase());
}

/** The slug is lower-case letters, digits and hyphens, and no other bot's. */
export async function insertBotAccount(tx: Db, slug: string, name: string, now: number): Promise<Account> {
  const row = await tx
    .insertInto('bot_accounts')
    .values({ id: newId(now), username: slug + SUFFIX, name, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return botFrom(row);
}

export async function deleteBotAccount(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('bot_accounts').where('id', '=', id).execute();
}

export async function findBotAccount(db: Db, by: MemberName): Promise<Account | undefined> {
  if ('id' in by && !ID.test(by.id)) return undefined;
  if ('number' in by && (by.number <= FIRST_BOT_NUMBER || by.number > MAX_BOT_NUMBER)) return undefined;
  const row = await db
    .selectFrom('bot_accounts')
    .selectAll()
    .where((eb) =>
      'id' in by
        ? eb('id', '=', by.id)
        : 'username' in by
          ? eb('username', '=', by.username.toLowerCase())
          : eb('number', '=', by.number - FIRST_BOT_NUMBER),
    )
    .executeTakeFirst();
  return row && botFrom(row);
}

interface BotRow {
  number: number;
  id: string;
  username: string;
  name: string;
  created_at: number;
  updated_at: number;
}

function botFrom(row: BotRow): Account {
  return {
    id: row.id,
    number: FIRST_BOT_NUMBER + row.number,
    username: row.username,
    email: `${row.username.slice(0, -SUFFIX.length)}@${MAIL_DOMAIN}`,
    firstName: row.name,
    lastName: undefined,
    role: 'no_access',
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    isBot: true,
  };
}
