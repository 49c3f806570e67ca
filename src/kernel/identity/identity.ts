// Turns a credential into a caller: from memory when it was seen lately, else from the database.
import { BoundedCache } from '../bounded-cache.ts';
import { Failure } from '../failure.ts';
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';
import { ensureServiceAccount } from './store-accounts.ts';
import type { RoleAttributes } from './attributes.ts';
import { customPolicy, type RolePolicies } from './base-roles.ts';
import type { Credential, KnownCaller } from './caller.ts';
import { findHolding } from './holding.ts';
import { findTokenOwner, saveSeen, type Member } from './store-members.ts';
import { compilePolicy, type Policy } from './policy.ts';
import { findRoles, type Role } from './store-roles.ts';
import { hashSecret } from './secret.ts';
import { findSession } from './store-sessions.ts';
import { findToken, findTokenByHash, saveUsed, type Power, type Token } from './store-tokens.ts';

/** Told by every commit that changes who may do what: from then on, all nodes ask the database. */
export const IDENTITY = 'identity';
const REMEMBER_MS = 60_000;
const MOST_REMEMBERED = 10_000;

export class Identity {
  readonly #engine: Engine;
  readonly #base: RolePolicies;
  /** By the credential itself, in memory only and for a minute: hashing it costs more than all else here. */
  readonly #remembered = {
    token: new BoundedCache<string, KnownCaller>({ most: MOST_REMEMBERED }),
    session: new BoundedCache<string, KnownCaller>({ most: MOST_REMEMBERED }),
  };
  readonly #used = new Map<KnownCaller, number>();
  #stopListening = () => {};

  constructor(engine: Engine, base: RolePolicies) {
    this.#engine = engine;
    this.#base = base;
  }

  async open(): Promise<this> {
    this.#stopListening = await this.#engine.listen(IDENTITY, () => this.#clear());
    return this;
  }

  close(): void {
    this.#stopListening();
  }

  /** Not a promise when the answer is remembered: that is nearly every call. */
  identify(credential: Credential, now: number): KnownCaller | Promise<KnownCaller> {
    const known = this.#remembered[credential.kind].get(credential.secret, now);
    if (known === undefined) return this.#lookUp(credential, now);
    this.#used.set(known, now);
    return known;
  }

  async #lookUp({ kind, secret }: Credential, now: number): Promise<KnownCaller> {
    const { db } = this.#engine;
    const caller = await this.#remembered[kind].load(secret, async () => {
      const find = kind === 'token' ? callerByToken : callerBySession;
      const found = await find(db, this.#base, hashSecret(secret), now);
      return found && { value: found.caller, until: Math.min(found.expiresAt, now + REMEMBER_MS) };
    });
    if (caller === undefined) throw new Failure('unauthenticated', 'The credential is not valid');
    this.#used.set(caller, now);
    return caller;
  }

  /**
   * Who did it, with the powers they have now; undefined when they are gone. What a personal token narrowed was asked when
   * the work was given: it may be gone by now, and its owner still wants what was begun.
   */
  async callerOf(db: Db, doer: Doer, now: number): Promise<KnownCaller | undefined> {
    return await callerOf(db, this.#base, doer, now);
  }

  /** Call after any commit that changes who may do what: here and on all nodes, the next call asks the database. */
  async forget(): Promise<void> {
    this.#clear();
    await this.#engine.notify(IDENTITY);
  }

  #clear(): void {
    this.#remembered.token.clear();
    this.#remembered.session.clear();
  }

  /** Writes down when tokens were last used and members last seen; behind the calls, as a lost minute of that harms nobody. */
  async saveUse(): Promise<void> {
    const used = [...this.#used].sort(([, one], [, other]) => one - other);
    this.#used.clear();
    const { db } = this.#engine;
    const lastUsed = new Map(
      used.flatMap(([{ token }, at]) => (token === undefined ? [] : [[token.id, at]])),
    );
    await Promise.all([...lastUsed].map(([id, at]) => saveUsed(db, id, at)));
    // A service token stands for nobody: its calls do not tell that its maker is about.
    const seen = new Map(
      used
        .filter(([{ token }]) => token?.isService !== true)
        .map(([{ member, token }, at]) => [member.id, { at, token }]),
    );
    await Promise.all([...seen].map(([id, { at, token }]) => saveSeen(db, id, at, token?.id)));
  }
}

interface Found {
  caller: KnownCaller;
  expiresAt: number;
}

async function callerByToken(
  db: Db,
  base: RolePolicies,
  hash: string,
  now: number,
): Promise<Found | undefined> {
  const token = await findTokenByHash(db, hash, now);
  if (token === undefined) return undefined;
  const owner = await findTokenOwner(db, token);
  if (owner === undefined) return undefined;
  const { member } = owner;
  const expiresAt = token.expiresAt ?? Infinity;
  if (token.isService) return { caller: await serviceCaller(db, base, member, token), expiresAt };
  const holding = await findHolding(db, base, member, owner.attributes);
  const roles = await findRoles(db, token.customRoles);
  const grants = [...holding.grants, powerPolicies(base, token, roles, holding.attributes)];
  return { caller: { kind: 'token', member, token, grants, held: holding.held }, expiresAt };
}

async function serviceCaller(db: Db, base: RolePolicies, member: Member, token: Token): Promise<KnownCaller> {
  const roles = await findRoles(db, token.customRoles);
  const grants = [serviceBounds(base, token), powerPolicies(base, token, roles, {})];
  const held = { roles: roles.map(({ id }) => id), teams: [], tended: [] };
  const account = await ensureServiceAccount(db, token);
  return { kind: 'token', member, token, account, grants, held };
}

/** Who answers for work that is done later: a member, or the service token that they used. */
export interface Doer {
  memberId: string;
  serviceTokenId?: string;
}

export function doerOf({ member, token }: KnownCaller): Doer {
  return { memberId: member.id, ...(token?.isService && { serviceTokenId: token.id }) };
}

async function callerOf(
  db: Db,
  base: RolePolicies,
  { memberId, serviceTokenId }: Doer,
  now: number,
): Promise<KnownCaller | undefined> {
  const owner = await findTokenOwner(db, { memberId, isService: serviceTokenId !== undefined });
  if (owner === undefined) return undefined;
  const { member, attributes } = owner;
  if (serviceTokenId === undefined) {
    const { grants, held } = await findHolding(db, base, member, attributes);
    return { kind: 'session', member, grants, held };
  }
  const token = await findToken(db, serviceTokenId);
  if (token === undefined || (token.expiresAt ?? Infinity) <= now) return undefined;
  return await serviceCaller(db, base, member, token);
}

async function callerBySession(
  db: Db,
  base: RolePolicies,
  hash: string,
  now: number,
): Promise<Found | undefined> {
  const session = await findSession(db, hash, now);
  if (session === undefined) return undefined;
  const { member, attributes, expiresAt } = session;
  const { grants, held } = await findHolding(db, base, member, attributes);
  return { caller: { kind: 'session', member, grants, held }, expiresAt };
}

/** What a service token says of itself must not reach what only an owner may: administrators make them, too. */
function serviceBounds(base: RolePolicies, { role = 'admin' }: Token): Policy[] {
  return [base[role]];
}

function powerPolicies(
  base: RolePolicies,
  { role, inlinePolicy }: Power,
  roles: readonly Role[],
  attributes: RoleAttributes,
): Policy[] {
  return [
    ...(role === undefined ? [] : [base[role]]),
    ...(inlinePolicy === undefined ? [] : [compilePolicy(inlinePolicy)]),
    ...roles.map((custom) => customPolicy(base, custom, attributes)),
  ];
}
