// The command `token ls`: all access tokens, without their secrets.
import type { LoadedSettings } from '../app/read-settings.ts';
import { listServiceUsernames } from '../kernel/identity/store-accounts.ts';
import { searchMembers } from '../kernel/identity/store-members.ts';
import { listTokens } from '../kernel/identity/store-tokens.ts';
import type { Slice } from '../kernel/http/reply/page.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { EXIT } from './command-errors.ts';
import { printJson, wantsJson, type Io } from './io.ts';
import { withMigratedDatabase } from './open-database.ts';
import { alignTable } from './table.ts';
import { reportToken } from './token.ts';

const ALL: Slice = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

export async function runTokenLs(
  { config }: LoadedSettings,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const tokens = await withMigratedDatabase(config, ({ db }) => readTokens(db));
  if (wantsJson(options, io)) {
    printJson(io, tokens);
    return EXIT.good;
  }
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    token.member ?? '',
    token.kind,
    token.role,
    `…${token.ending}`,
    minuteOf(token.createdAt),
    minuteOf(token.lastUsedAt),
    minuteOf(token.expiresAt),
  ]);
  const head = ['Id', 'Name', 'Member', 'Kind', 'Role', 'Ending', 'Created', 'Last used', 'Expires'];
  io.out(alignTable(head, rows));
  return EXIT.good;
}

async function readTokens(db: Db) {
  const [tokens, members, usernames] = await Promise.all([
    listTokens(db, {}, ALL),
    searchMembers(db, '', ALL),
    listServiceUsernames(db),
  ]);
  const byId = new Map(members.items.map((member) => [member.id, member]));
  return tokens.items.map((token) => reportToken(token, byId.get(token.memberId), usernames.get(token.id)));
}

function minuteOf(time: string | null): string {
  return time === null ? 'never' : time.slice(0, 16).replace('T', ' ');
}
