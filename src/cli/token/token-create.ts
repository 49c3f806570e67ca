// The command `token create`: creates an access token in the database and shows it once.
import { readFileSync } from 'node:fs';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { changesOn } from '../../app/apis.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { Failure } from '../../kernel/failure.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { ADMIN } from '../../kernel/identity/first-start.ts';
import { findMember, type Member } from '../../kernel/identity/store-members.ts';
import { parseStatements, type BaseRole } from '../../kernel/identity/policy.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import {
  insertToken,
  TOKEN_PREFIX,
  type TokenPermissions,
  type Token,
} from '../../kernel/identity/store-tokens.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { EXIT, messageOf } from '../command-errors.ts';
import { printJson, type Io } from '../io.ts';
import { withMigratedDatabase } from '../open-database.ts';
import { tokenChange, reportToken } from './token.ts';

export interface TokenCreateOptions {
  name: string;
  member?: string;
  role?: BaseRole;
  service?: boolean;
  expires?: string;
  /** A JSON file with statements. */
  policy?: string;
  json?: boolean;
}

export async function runTokenCreate(
  { config }: LoadedSettings,
  options: TokenCreateOptions,
  io: Io,
): Promise<number> {
  const now = Date.now();
  const lifetime = options.expires === undefined ? undefined : parseDuration(options.expires);
  const statements = options.policy === undefined ? undefined : readPolicy(options.policy);
  const secret = newSecret(TOKEN_PREFIX);
  const { token, report, account, member } = await withMigratedDatabase(config, async (engine) => {
    return await changesOn(engine).run(systemActor({ now }), async (tx) => {
      const { db } = tx;
      const owner = await requireMember(db, options.member ?? ADMIN);
      const power: TokenPermissions =
        statements === undefined
          ? { role: options.role ?? owner.role, customRoles: [] }
          : { inlinePolicy: statements, customRoles: [] };
      const created = await insertToken(
        db,
        {
          ...power,
          memberId: owner.id,
          isService: options.service === true,
          name: options.name,
          description: 'Made on the command line',
          ...(lifetime !== undefined && { expiresAt: now + lifetime }),
        },
        secret,
        now,
      );
      const { username } = (await findAccount(db, { id: created.isService ? created.id : owner.id }))!;
      const after = reportToken(created, owner, username);
      tx.record({ ...tokenChange(created, 'createAccessToken'), verb: 'created the token', after });
      await tx.invalidate(IDENTITY);
      return { token: created, report: after, account: username, member: owner };
    });
  });
  if (options.json) {
    printJson(io, { ...report, token: secret.value });
  } else {
    io.err(describe(token, member, account));
    io.out(secret.value);
  }
  return EXIT.good;
}

async function requireMember(db: Db, username: string): Promise<Member> {
  const member = await findMember(db, { username });
  if (member !== undefined) return member;
  throw new Failure('not-found', `There is no member "${username}".`);
}

export function readPolicy(path: string) {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Failure('invalid', `The policy ${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
  return parseStatements(parsed);
}

function describe(
  { name, role, isService, expiresAt }: Token,
  { username }: Member,
  account: string,
): string {
  const kind = isService ? 'Service token' : 'Token';
  const power = role === undefined ? 'a policy of its own' : `the role ${role}`;
  const end = expiresAt === undefined ? '' : ` until ${new Date(expiresAt).toISOString()}`;
  const own = isService ? ` It is the account ${account} of its own.` : '';
  return `${kind} "${name}" of ${username} with ${power}${end}.${own} It is shown this once: keep it.`;
}

const MINUTE = 60_000;
const UNITS: Record<string, number> = {
  m: MINUTE,
  h: 60 * MINUTE,
  d: 24 * 60 * MINUTE,
  w: 7 * 24 * 60 * MINUTE,
};

/** In milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhdw])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new Failure('invalid', `"${text}" is not a span of time: write it like 90m, 12h, 30d or 8w.`);
  }
  return Number(count) * UNITS[unit]!;
}
