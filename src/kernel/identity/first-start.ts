// The first member: an administrator with a token, created when there are no members.
import { Failure } from '../failure.ts';
import type { Engine } from '../storage/engine.ts';
import { systemActor } from './actor.ts';
import type { Changes, ChangeTransaction } from '../change/changes.ts';
import { lockName } from '../storage/locks.ts';
import { isEmail } from '../text/email.ts';
import {
  updateEmail,
  checkPassword,
  insertMember,
  findMember,
  updatePassword,
  type Member,
} from './store-members.ts';
import { hashPassword, hashSecret, newSecret, secretOf } from '../secrets/secret.ts';
import { insertToken, findTokenByHash, updateFirstSecret, TOKEN_PREFIX, UNSEEN } from './store-tokens.ts';

export const ADMIN = 'admin';

export interface FirstStartOptions {
  /** The operator's token. Without one a token is created, and `createFirstSecret` gives it a secret. */
  token: string | undefined;
  email: string;
  /** Creates the other defaults of a new user. Runs at every start, so it must skip what exists. */
  seed?: (tx: ChangeTransaction) => Promise<void>;
}

/** Also adopts a token that the operator has set since: this replaces a lost one without access to the database. */
export async function ensureAdmin(
  changes: Changes,
  { token: given, email, seed }: FirstStartOptions,
  now: number,
): Promise<void> {
  await changes.run(systemActor({ now }), async (tx) => {
    const { db } = tx;
    await lockName(db, 'first-start');
    await seed?.(tx);
    const known = await findMember(db, { username: ADMIN });
    if (known !== undefined) await replaceOldEmail(tx, known, email);
    if (known !== undefined && given === undefined) return;
    if (known !== undefined && (await findTokenByHash(db, hashSecret(given!), now)) !== undefined) return;
    if (known !== undefined && (await updateFirstSecret(db, known.id, secretOf(given!), now))) return;
    const admin = known ?? (await insertMember(db, { username: ADMIN, email, role: 'owner' }, null, now));
    const token = await insertToken(
      db,
      {
        memberId: admin.id,
        isService: false,
        name: ADMIN,
        description: 'Made at start',
        role: 'owner',
        customRoles: [],
      },
      given === undefined ? { ...newSecret(TOKEN_PREFIX), ending: UNSEEN } : secretOf(given),
      now,
    );
    const resource = `member/${admin.id}:token/${token.id}`;
    tx.record({
      accesses: [{ action: 'createAccessToken', resource }],
      kind: 'token',
      name: token.name,
      verb: 'created the token',
    });
  });
}

/**
 * The default address of release 0.1.0 had no dot in its domain, so clients that validate addresses reject it. An address
 * that was changed is kept.
 */
const OLD_EMAIL = 'admin@localhost';

async function replaceOldEmail(tx: ChangeTransaction, admin: Member, email: string): Promise<void> {
  if (admin.email !== OLD_EMAIL || email === OLD_EMAIL || !isEmail(email)) return;
  if (!(await updateEmail(tx.db, admin, email, tx.actor.now))) return;
  tx.record({
    accesses: [{ action: 'updateMember', resource: `member/${admin.id}` }],
    kind: 'member',
    name: email,
    verb: 'updated the member',
    before: { email: OLD_EMAIL },
    after: { email },
  });
}

/**
 * Returns the secret of the first token, to be shown once; undefined if that has been done. It is created only when it is
 * about to be shown, so that a start that fails before, by a busy port for example, does not lose it.
 */
export async function createFirstSecret(engine: Engine, now: number): Promise<string | undefined> {
  const { id } = await requireAdmin(engine);
  const secret = newSecret(TOKEN_PREFIX);
  return (await updateFirstSecret(engine.db, id, secret, now)) ? secret.value : undefined;
}

/** Sets the administrator's password to that of the operator; does nothing if it already is. */
export async function ensurePassword(
  changes: Changes,
  { db }: Pick<Engine, 'db'>,
  password: string,
  now: number,
): Promise<void> {
  if ((await checkPassword(db, ADMIN, password)) !== undefined) return;
  const hash = await hashPassword(password);
  await changes.run(systemActor({ now }), async (tx) => {
    const admin = await requireAdmin(tx);
    await updatePassword(tx.db, admin.id, hash, now);
    tx.record({
      accesses: [{ action: 'updateMember', resource: `member/${admin.id}` }],
      kind: 'member',
      name: admin.email,
      verb: 'changed the password of the member',
    });
  });
}

/** For commands that act on the database as the administrator. */
export async function requireAdmin({ db }: Pick<Engine, 'db'>) {
  const admin = await findMember(db, { username: ADMIN });
  if (admin === undefined) throw new Failure('not-found', 'There is no account yet: start the server once.');
  return admin;
}
