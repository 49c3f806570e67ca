// The first member: an administrator with a token, made when there is nobody yet.
import { Failure } from '../failure.ts';
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';
import { recordEvent } from '../events.ts';
import { checkPassword, createMember, findMember, setPassword } from './members.ts';
import { hashPassword, hashSecret, newSecret, secretOf } from './secret.ts';
import { createToken, findTokenByHash, TOKEN_PREFIX } from './tokens.ts';

export const ADMIN = 'admin';

export interface FirstStart {
  /** The administrator's new token, to be shown once; undefined when there was one, or the operator gave it. */
  madeToken: string | undefined;
}

export interface Beginning {
  token: string | undefined;
  email: string;
  /** Lays down what else a new user begins with. At every start, so it must know what is there. */
  furnish?: (tx: Db, now: number) => Promise<void>;
}

/** Also takes over a token that the operator set since: that is how a lost one is replaced without a console. */
export async function ensureAdmin(
  engine: Engine,
  { token: given, email, furnish }: Beginning,
  now: number,
): Promise<FirstStart> {
  return engine.db.transaction().execute(async (tx) => {
    await engine.lock(tx, 'first-start');
    await furnish?.(tx, now);
    const known = await findMember(tx, { username: ADMIN });
    if (known !== undefined && given === undefined) return { madeToken: undefined };
    if (known !== undefined && (await findTokenByHash(tx, hashSecret(given!), now)) !== undefined) {
      return { madeToken: undefined };
    }
    const admin = known ?? (await createMember(tx, { username: ADMIN, email, role: 'owner' }, null, now));
    const secret = given === undefined ? newSecret(TOKEN_PREFIX) : secretOf(given);
    const token = await createToken(
      tx,
      {
        memberId: admin.id,
        isService: false,
        name: ADMIN,
        description: 'Made at start',
        role: 'owner',
        customRoles: [],
      },
      secret,
      now,
    );
    const resource = `member/${admin.id}:token/${token.id}`;
    await recordEvent(
      tx,
      { now },
      { action: 'createAccessToken', resource, kind: 'token', name: token.name },
    );
    return { madeToken: given === undefined ? secret.value : undefined };
  });
}

/** Lets the administrator log in with the password that the operator set; does nothing when it is that already. */
export async function ensurePassword(engine: Engine, password: string, now: number): Promise<void> {
  if ((await checkPassword(engine.db, ADMIN, password)) !== undefined) return;
  const admin = await requireAdmin(engine);
  await setPassword(engine.db, admin.id, await hashPassword(password), now);
}

/** For commands that act as the administrator on the database itself. */
export async function requireAdmin(engine: Engine) {
  const admin = await findMember(engine.db, { username: ADMIN });
  if (admin === undefined) throw new Failure('not-found', 'There is no account yet: start the server once.');
  return admin;
}
