// The command `token revoke`: deletes an access token, given by its id or its last characters.
import { changesOn, transferOwnership } from '../app/apis.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import { systemActor } from '../kernel/identity/actor.ts';
import { IDENTITY } from '../kernel/identity/identity.ts';
import { Failure } from '../kernel/failure.ts';
import { findAccount, findHeir, lockServiceAccounts } from '../kernel/identity/store-accounts.ts';
import { findMember } from '../kernel/identity/store-members.ts';
import { deleteToken, findToken, listTokens, type Token } from '../kernel/identity/store-tokens.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { EXIT } from './command-errors.ts';
import type { Io } from './io.ts';
import { withMigratedDatabase } from './open-database.ts';
import { tokenChange, reportToken } from './token.ts';

export function runTokenRevoke(
  { config }: LoadedSettings,
  name: string,
  options: { yes?: boolean },
  io: Io,
): Promise<number> {
  return withMigratedDatabase(config, async (engine) => {
    const token = await requireToken(engine.db, name, io);
    const words = `token "${token.name}" (${token.id}, ends in ${token.ending})`;
    if (options.yes !== true && !(await confirm(words, io))) {
      io.err('Nothing was revoked.');
      return EXIT.failed;
    }
    await revoke(engine, token);
    io.err(`Revoked ${words}.`);
    return EXIT.good;
  });
}

/** Without a terminal --yes is required: a mistyped ending could revoke another token. */
function confirm(words: string, io: Io): Promise<boolean> {
  if (io.confirm !== undefined) return io.confirm(`Revoke ${words}?`);
  throw new Failure('invalid', `There is nobody to ask whether to revoke ${words}: say so with --yes.`);
}

async function requireToken(db: Db, name: string, { program }: Io): Promise<Token> {
  const byId = await findToken(db, name);
  if (byId !== undefined) return byId;
  const { items } = await listTokens(db, {}, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
  const [only, ...others] = items.filter(({ ending }) => ending === name);
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
