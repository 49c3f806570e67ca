// The first member: an administrator with a token, made when there is nobody yet.
import { Failure } from '../failure.ts';
import type { Engine } from '../storage/engine.ts';
import { systemActor } from '../change/actor.ts';
import type { Changes, ChangeTransaction } from '../change/changes.ts';
import { lockName } from '../storage/locks.ts';
import { isEmail } from './email.ts';
import {
  updateEmail,
  checkPassword,
  insertMember,
  findMember,
  updatePassword,
  type Member,
} from './store-members.ts';
import { hashPassword, hashSecret, newSecret, secretOf } from './secret.ts';
import { insertToken, findTokenByHash, updateFirstSecret, TOKEN_PREFIX, UNSEEN } from './store-tokens.ts';

export const ADMIN = 'admin';

export interface FirstStartOptions {
  /** The operator's own. Without one a token is made, and `createFirstSecret` gives it a secret. */
  token: string | undefined;
  email: string;
  /** Lays down what else a new user begins with. At every start, so it must know what is there. */
  seed?: (on: ChangeTransaction) => Promise<void>;
}

/** Also takes over a token that the operator set since: that is how a lost one is replaced without a console. */
export async function ensureAdmin(
  changes: Changes,
  { token: given, email, seed }: FirstStartOptions,
  now: number,
): Promise<void> {
  await changes.run(systemActor({ now }), async (on) => {
    const { db: tx } = on;
    await lockName(tx, 'first-start');
    await seed?.(on);
    const known = await findMember(tx, { username: ADMIN });
    if (known !== undefined) await replaceOldEmail(on, known, email);
    if (known !== undefined && given === undefined) return;
    if (known !== undefined && (await findTokenByHash(tx, hashSecret(given!), now)) !== undefined) return;
    if (known !== undefined && (await updateFirstSecret(tx, known.id, secretOf(given!), now))) return;
    const admin = known ?? (await insertMember(tx, { username: ADMIN, email, role: 'owner' }, null, now));
    const token = await insertToken(
      tx,
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
    on.record({
      accesses: [{ action: 'createAccessToken', resource }],
      kind: 'token',
      name: token.name,
      verb: 'created the token',
    });
  });
}

/**
 * The default of release 0.1.0 had no dot in its domain, which clients that check addresses take for none. Whoever has an
 * address of their own keeps it.
 */
const OLD_EMAIL = 'admin@localhost';

async function replaceOldEmail(on: ChangeTransaction, admin: Member, email: string): Promise<void> {
  if (admin.email !== OLD_EMAIL || email === OLD_EMAIL || !isEmail(email)) return;
  if (!(await updateEmail(on.db, admin, email, on.actor.now))) return;
  on.record({
    accesses: [{ action: 'updateMember', resource: `member/${admin.id}` }],
    kind: 'member',
    name: email,
    verb: 'updated the member',
    before: { email: OLD_EMAIL },
    after: { email },
  });
}

/**
 * The secret of the token that the first start made, to be shown once; undefined when that has been done. It is made by the
 * first start that gets as far as showing it, so that one that fails before, by a busy port say, loses nothing.
 */
export async function createFirstSecret(engine: Engine, now: number): Promise<string | undefined> {
  const { id } = await requireAdmin(engine);
  const secret = newSecret(TOKEN_PREFIX);
  return (await updateFirstSecret(engine.db, id, secret, now)) ? secret.value : undefined;
}

/** Lets the administrator log in with the password that the operator set; does nothing when it is that already. */
export async function ensurePassword(
  changes: Changes,
  { db }: Pick<Engine, 'db'>,
  password: string,
  now: number,
): Promise<void> {
  if ((await checkPassword(db, ADMIN, password)) !== undefined) return;
  const hash = await hashPassword(password);
  await changes.run(systemActor({ now }), async (on) => {
    const admin = await requireAdmin(on);
    await updatePassword(on.db, admin.id, hash, now);
    on.record({
      accesses: [{ action: 'updateMember', resource: `member/${admin.id}` }],
      kind: 'member',
      name: admin.email,
      verb: 'changed the password of the member',
    });
  });
}

/** For commands that act as the administrator on the database itself. */
export async function requireAdmin({ db }: Pick<Engine, 'db'>) {
  const admin = await findMember(db, { username: ADMIN });
  if (admin === undefined) throw new Failure('not-found', 'There is no account yet: start the server once.');
  return admin;
}
