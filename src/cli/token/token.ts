// The commands `token ls` and `token revoke`, and what all token commands share: how a token is printed, and how its changes are recorded.
import type { Change } from '../../kernel/change/change.ts';
import { type Member, searchMembers, findMember } from '../../kernel/identity/store-members.ts';
import { type Token, listTokens, deleteToken, findToken } from '../../kernel/identity/store-tokens.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import {
  listServiceUsernames,
  findAccount,
  findHeir,
  lockServiceAccounts,
} from '../../kernel/identity/store-accounts.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { changesOn, transferOwnership } from '../../app/apis.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { EXIT } from '../command-errors.ts';
import { printJson, wantsJson, type Io, alignTable } from '../io.ts';
import { withMigratedDatabase } from '../open-database.ts';

/** Without the secret: only its hash is stored. */
export function reportToken(
  token: Token,
  member: Pick<Member, 'username'> | undefined,
  serviceUsername?: string,
) {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: token.id,
    name: token.name,
    member: member?.username ?? null,
    /** The username that owns its resources. */
    account: (token.isService ? serviceUsername : member?.username) ?? null,
    kind: token.isService ? 'service' : 'personal',
    role: token.role ?? (token.inlinePolicy === undefined ? token.customRoles.join(',') : 'policy'),
    ending: token.ending,
    createdAt: time(token.createdAt),
    lastUsedAt: time(token.lastUsedAt),
    expiresAt: time(token.expiresAt),
  };
}

export type ReportedToken = ReturnType<typeof reportToken>;

export function tokenChange({ id, memberId, isService, name }: Token, action: string): Omit<Change, 'verb'> {
  const resource = isService ? `service-token/${id}` : `member/${memberId}:token/${id}`;
  return { accesses: [{ action, resource }], kind: 'token', name };
}

const ALL: Slice = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

export async function runTokenLs(
  { config }: LoadedSettings,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const tokens = await withMigratedDatabase(config, ({ db }) => readTokens(db));
  printTokens(tokens, options, io);
  return EXIT.good;
}

export function printTokens(tokens: readonly ReportedToken[], options: { json?: boolean }, io: Io): void {
  if (wantsJson(options, io)) {
    printJson(io, tokens);
    return;
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

export function runTokenRevoke(
  { config }: LoadedSettings,
  name: string,
  options: { yes?: boolean },
  io: Io,
): Promise<number> {
  return withMigratedDatabase(config, async (engine) => {
    const token = await requireToken(engine.db, name, io);
    return await confirmAndRevoke(token, options, io, () => revoke(engine, token));
  });
}

type NamedToken = Pick<Token, 'id' | 'name' | 'ending'>;

export async function confirmAndRevoke(
  { id, name, ending }: NamedToken,
  options: { yes?: boolean },
  io: Io,
  work: () => Promise<void>,
): Promise<number> {
  const words = `token "${name}" (${id}, ends in ${ending})`;
  if (options.yes !== true && !(await confirm(words, io))) {
    io.err('Nothing was revoked.');
    return EXIT.failed;
  }
  await work();
  io.err(`Revoked ${words}.`);
  return EXIT.good;
}

/** Without a terminal --yes is required: a mistyped ending could revoke another token. */
function confirm(words: string, io: Io): Promise<boolean> {
  if (io.confirm !== undefined) return io.confirm(`Revoke ${words}?`);
  throw new Failure('invalid', `There is nobody to ask whether to revoke ${words}: say so with --yes.`);
}

async function requireToken(db: Db, name: string, io: Io): Promise<Token> {
  const byId = await findToken(db, name);
  if (byId !== undefined) return byId;
  const { items } = await listTokens(db, {}, ALL);
  return requireEnding(items, name, io);
}

export function requireEnding<Listed extends NamedToken>(
  tokens: readonly Listed[],
  name: string,
  { program }: Io,
): Listed {
  const [only, ...others] = tokens.filter(({ ending }) => ending === name);
  if (only === undefined) {
    throw new Failure('not-found', `There is no token "${name}": ${program} token ls shows ids and endings.`);
  }
  if (others.length === 0) return only;
  const ids = [only, ...others].map((token) => `${token.id} ("${token.name}")`).join(', ');
  throw new Failure('conflict', `Several tokens end in ${name}. Name one by its id: ${ids}.`);
}

async function revoke(engine: Engine, token: Token): Promise<void> {
  const now = Date.now();
  await changesOn(engine).run(systemActor({ now }), async (tx) => {
    const { db } = tx;
    await lockServiceAccounts(db);
    const owner = await findMember(db, { id: token.memberId });
    const account = token.isService ? await findAccount(db, { id: token.id }) : undefined;
    // Already revoked by another call: nothing to record.
    if (!(await deleteToken(db, token.id))) return;
    if (account !== undefined) {
      await transferOwnership(tx, account, await findHeir(db, token, undefined));
    }
    tx.record({
      ...tokenChange(token, 'deleteAccessToken'),
      verb: 'deleted the token',
      before: reportToken(token, owner, account?.username),
    });
    await tx.invalidate(IDENTITY);
  });
}
