// Turns a credential into a caller: from memory when it was seen lately, else from the database.
import { Failure } from '../failure.ts';
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';
import type { Credential, KnownCaller } from './caller.ts';
import { findMember, type Member } from './members.ts';
import { compilePolicy, rolePolicies, type Policy } from './policy.ts';
import { policiesOf } from './roles.ts';
import { hashSecret } from './secret.ts';
import { findSession } from './sessions.ts';
import { findTokenByHash, type Power, type Token } from './tokens.ts';

const CHANNEL = 'identity';
const REMEMBER_MS = 60_000;
const MOST_REMEMBERED = 10_000;

interface Remembered {
  caller: KnownCaller;
  until: number;
}

export class Identity {
  readonly #engine: Engine;
  readonly #remembered = new Map<string, Remembered>();
  readonly #used = new Map<string, number>();
  /** Counts the times all was forgotten, so that a look-up begun before does not come back as memory after. */
  #generation = 0;
  #stopListening = () => {};

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async open(): Promise<this> {
    this.#stopListening = await this.#engine.listen(CHANNEL, () => this.#forgetHere());
    return this;
  }

  close(): void {
    this.#stopListening();
  }

  /** Not a promise when the answer is remembered: that is nearly every call. */
  identify(credential: Credential, now: number): KnownCaller | Promise<KnownCaller> {
    const hash = hashSecret(credential.secret);
    const key = credential.kind + hash;
    const known = this.#remembered.get(key);
    if (known === undefined || known.until <= now) return this.#lookUp(credential.kind, hash, key, now);
    if (known.caller.token !== undefined) this.#used.set(known.caller.token.id, now);
    return known.caller;
  }

  async #lookUp(kind: Credential['kind'], hash: string, key: string, now: number): Promise<KnownCaller> {
    const { db } = this.#engine;
    const generation = this.#generation;
    const found =
      kind === 'token' ? await callerByToken(db, hash, now) : await callerBySession(db, hash, now);
    if (found === undefined) throw new Failure('unauthenticated', 'The credential is not valid');
    if (generation === this.#generation) {
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(key, {
        caller: found.caller,
        until: Math.min(found.expiresAt, now + REMEMBER_MS),
      });
    }
    if (found.caller.token !== undefined) this.#used.set(found.caller.token.id, now);
    return found.caller;
  }

  /** Call after any commit that changes who may do what: here and on all nodes, the next call asks the database. */
  async forget(): Promise<void> {
    this.#forgetHere();
    await this.#engine.notify(CHANNEL);
  }

  #forgetHere(): void {
    this.#remembered.clear();
    this.#generation += 1;
  }

  /** Writes down when tokens were last used; behind the calls, because a lost minute of that harms nobody. */
  async saveUse(): Promise<void> {
    const used = [...this.#used];
    this.#used.clear();
    const { db } = this.#engine;
    await Promise.all(
      used.map(([id, at]) =>
        db.updateTable('tokens').set({ last_used_at: at }).where('id', '=', id).execute(),
      ),
    );
  }
}

interface Found {
  caller: KnownCaller;
  expiresAt: number;
}

async function callerByToken(db: Db, hash: string, now: number): Promise<Found | undefined> {
  const token = await findTokenByHash(db, hash, now);
  if (token === undefined) return undefined;
  const member = await findMember(db, { id: token.memberId });
  if (member === undefined) return undefined;
  const own = await powerPolicies(db, token);
  const grants = [token.isService ? serviceBounds(token) : await memberPolicies(db, member), own];
  return { caller: { kind: 'token', member, token, grants }, expiresAt: token.expiresAt ?? Infinity };
}

async function callerBySession(db: Db, hash: string, now: number): Promise<Found | undefined> {
  const session = await findSession(db, hash, now);
  if (session === undefined) return undefined;
  const { member, expiresAt } = session;
  return { caller: { kind: 'session', member, grants: [await memberPolicies(db, member)] }, expiresAt };
}

async function memberPolicies(db: Db, { role, customRoles }: Member): Promise<Policy[]> {
  return [rolePolicies[role], ...(await policiesOf(db, customRoles))];
}

/** What a service token says of itself must not reach what only an owner may: administrators make them, too. */
function serviceBounds({ role = 'admin' }: Token): Policy[] {
  return [rolePolicies[role]];
}

async function powerPolicies(db: Db, { role, customRoles, inlinePolicy }: Power): Promise<Policy[]> {
  return [
    ...(role === undefined ? [] : [rolePolicies[role]]),
    ...(inlinePolicy === undefined ? [] : [compilePolicy(inlinePolicy)]),
    ...(await policiesOf(db, customRoles)),
  ];
}
