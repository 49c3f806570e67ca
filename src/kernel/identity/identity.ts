// Authenticates: turns a credential into a caller, from a cache or from the database.
import { BoundedCache } from '../collections/bounded-cache.ts';
import { Failure } from '../failure.ts';
import { hashSecret } from '../secrets/secret.ts';
import type { Engine } from '../storage/engine.ts';
import { RecordedReads, type ReadRecord } from '../storage/recorded-reads.ts';
import type { Db } from '../storage/tables.ts';
import type { Credential, KnownCaller, ProgramIdentity } from './caller.ts';
import { callerBySession, callerOf, callerWithToken, openBoundary, type FoundCaller } from './find-caller.ts';
import type { Policy } from './policy.ts';
import { customPolicy, type RoleAttributes, type RolePolicies } from './role-policies.ts';
import { intersect, UNUSED_MS, upsertBoundary, type Boundary } from './store-boundaries.ts';
import { updateSessionSeen } from './sessions/store-sessions.ts';
import { updateLastSeen } from './store-members.ts';
import type { Role } from './store-roles.ts';
import { findToken, findTokenByHash } from './store-tokens.ts';

/** The channel that every commit which changes permissions notifies: all nodes then clear their caches. */
export const IDENTITY = 'identity';
const CACHE_MS = 60_000;
const MAX_CACHED = 10_000;
const MAX_UNKNOWN = 1000;
const MAX_UNKNOWN_LENGTH = 100;
/** A program's token ends with the program; other nodes notice it after this time. */
const PROGRAM_CACHE_MS = 5_000;
/** How long a boundary counts as stored without a look: a sweep deletes none that was used within a far longer time. */
const BOUNDARY_CACHE_MS = UNUSED_MS / 24;

/** Tokens that an API gives to programs. */
export interface ProgramTokens {
  /** Whether a secret has their form, which no other tokens have. */
  hasForm(secret: string): boolean;
  /** May throw `unauthenticated` with a message for the caller, whose details have a code. */
  find(db: Db, secret: string, now: number): Promise<FoundProgram | undefined>;
}

/**
 * A program that acts for its owner, with what it may do at most, and what of that is its own: the boundary of its initiator
 * does not take that away. Or a program that is a caller of its own.
 */
export type FoundProgram =
  | { program: ProgramIdentity; initiator: Initiator; policy: Policy; own: Policy }
  | { caller: KnownCaller; expiresAt: number };

export class Identity {
  readonly #engine: Engine;
  readonly #base: RolePolicies;
  readonly #programTokens: readonly ProgramTokens[];
  /** By the credential itself, in memory only and for a minute: hashing it costs more than all else here. */
  readonly #cache = {
    token: new BoundedCache<string, KnownCaller>({ max: MAX_CACHED }),
    session: new BoundedCache<string, KnownCaller>({ max: MAX_CACHED }),
    sessionHash: new BoundedCache<string, KnownCaller>({ max: MAX_CACHED }),
  };
  /** Tokens that nobody has, until a token is written: a client with an old one goes on calling. */
  readonly #unknown = new BoundedCache<string, ReadRecord>({ max: MAX_UNKNOWN });
  readonly #used = new Map<KnownCaller, number>();
  /** Ids of boundaries that are stored for certain. */
  readonly #stored = new BoundedCache<string, true>({ max: MAX_CACHED });
  /** What callers have authenticated by, for as long as anything holds them. */
  readonly #credentials = new WeakMap<KnownCaller, Credential>();
  #stopListening = () => {};

  constructor(engine: Engine, base: RolePolicies, programTokens: readonly ProgramTokens[] = []) {
    this.#engine = engine;
    this.#base = base;
    this.#programTokens = programTokens;
  }

  async open(): Promise<this> {
    this.#stopListening = await this.#engine.listen(IDENTITY, () => this.#clear());
    return this;
  }

  close(): void {
    this.#stopListening();
  }

  /** Synchronous on a cache hit, which is nearly every call. */
  identify(credential: Credential, now: number): KnownCaller | Promise<KnownCaller> {
    const known = this.#cache[credential.kind].get(credential.secret, now);
    if (known === undefined) return this.#lookUp(credential, now);
    this.#used.set(known, now);
    return known;
  }

  /**
   * The same caller with the permissions of now, for replies that stay open; throws where the credential is not valid any
   * more. Every node hears of what is revoked, so that this is mostly answered from memory.
   */
  async identifyAgain(caller: KnownCaller, now: number): Promise<KnownCaller> {
    const credential = this.#credentials.get(caller);
    if (credential !== undefined) return await this.identify(credential, now);
    throw new Failure('unauthenticated', 'The credential is not known any more.');
  }

  async #lookUp({ kind, secret }: Credential, now: number): Promise<KnownCaller> {
    const { db } = this.#engine;
    const caller = await this.#cache[kind].load(secret, async () => {
      const issuer =
        kind === 'token' ? this.#programTokens.find((tokens) => tokens.hasForm(secret)) : undefined;
      const found = issuer
        ? await this.#callerOfProgram(issuer, secret, now)
        : kind === 'token'
          ? await this.#callerByToken(secret, now)
          : await callerBySession(db, this.#base, kind === 'session' ? hashSecret(secret) : secret, now);
      return found && { value: found.caller, until: Math.min(found.expiresAt, now + CACHE_MS) };
    });
    if (caller === undefined) throw new Failure('unauthenticated', 'The credential is not valid');
    this.#used.set(caller, now);
    this.#credentials.set(caller, { kind, secret });
    return caller;
  }

  async #callerByToken(secret: string, now: number): Promise<FoundCaller | undefined> {
    if (this.#unknown.get(secret)?.isCurrent === true) return undefined;
    const { db, tableChanges } = this.#engine;
    const reads = tableChanges && new RecordedReads(db, tableChanges);
    const token = await findTokenByHash(reads?.db ?? db, hashSecret(secret), now);
    if (token !== undefined) return await callerWithToken(db, this.#base, token);
    const record = reads?.finish();
    if (record !== undefined && secret.length <= MAX_UNKNOWN_LENGTH) this.#unknown.set(secret, record);
    return undefined;
  }

  /**
   * For background work: the initiator, and what their token allows at most, which is then stored. Not for use in a
   * transaction: where there is one writer, it would wait for itself.
   */
  async initiatorOf(caller: KnownCaller, now: number): Promise<Initiator> {
    return await this.initiatorWithin(caller, [caller.boundary], now);
  }

  /** The same in the transaction of the row that refers to it. */
  async initiatorIn(tx: Db, caller: KnownCaller, now: number): Promise<Initiator> {
    const { boundary } = caller;
    if (boundary === undefined) return recordedAs(caller);
    await upsertBoundary(tx, boundary, now);
    return { ...recordedAs(caller), boundary: boundary.id };
  }

  /** The same as `initiatorOf` within the intersection of these boundaries, stored ones by their ids, instead of the caller's. */
  async initiatorWithin(
    caller: KnownCaller,
    boundaries: readonly (Boundary | string | undefined)[],
    now: number,
  ): Promise<Initiator> {
    const { db } = this.#engine;
    let boundary: Boundary | undefined;
    for (const one of boundaries)
      boundary = intersect(boundary, typeof one === 'string' ? await openBoundary(db, one) : one);
    if (boundary === undefined) return recordedAs(caller);
    const { id } = boundary;
    // Before the row that refers to it, and outside of its transaction: a boundary that nothing refers to is swept.
    if (this.#stored.get(id, now) === undefined) {
      await upsertBoundary(db, boundary, now);
      this.#stored.set(id, true, now + BOUNDARY_CACHE_MS);
    }
    return { ...recordedAs(caller), boundary: id };
  }

  /**
   * The initiator of background work, with the permissions they have now, within the boundary of the token that was used;
   * undefined when they are gone.
   */
  async callerOf(db: Db, initiator: Initiator, now: number): Promise<KnownCaller | undefined> {
    return await callerOf(db, this.#base, initiator, now);
  }

  /** The account itself, with the permissions that it has now; undefined when it is gone. */
  async callerOfAccount(
    db: Db,
    accountId: string,
    now: number,
    boundary?: string,
  ): Promise<KnownCaller | undefined> {
    const token = await findToken(db, accountId);
    const { memberId = accountId, isService } = token ?? {};
    const initiator = { memberId, ...(isService && { serviceTokenId: accountId }) };
    return await this.callerOf(db, { ...initiator, ...(boundary !== undefined && { boundary }) }, now);
  }

  /** The caller of a personal or service token outside of a call, within its limits; undefined when it is gone or has expired. */
  async callerOfToken(db: Db, id: string, now: number): Promise<KnownCaller | undefined> {
    const token = await findToken(db, id);
    if (token === undefined || (token.expiresAt ?? Infinity) <= now) return undefined;
    return (await callerWithToken(db, this.#base, token))?.caller;
  }

  /** The policy of a custom role, or of one that is being written. */
  policyOfRole(role: Pick<Role, 'policy' | 'baseRole'>, attributes: RoleAttributes): Policy {
    return customPolicy(this.#base, role, attributes);
  }

  async #callerOfProgram(
    issuer: ProgramTokens,
    secret: string,
    now: number,
  ): Promise<FoundCaller | undefined> {
    const { db } = this.#engine;
    const found = await issuer.find(db, secret, now);
    if (found !== undefined && 'caller' in found)
      return { ...found, expiresAt: Math.min(found.expiresAt, now + PROGRAM_CACHE_MS) };
    const caller = found && (await this.callerOfProgram(db, found, now));
    return caller && { caller, expiresAt: now + PROGRAM_CACHE_MS };
  }

  /** A program that acts for its owner; undefined when they are gone. */
  async callerOfProgram(
    db: Db,
    { program, initiator, policy, own }: Exclude<FoundProgram, { caller: KnownCaller }>,
    now: number,
  ): Promise<KnownCaller | undefined> {
    const owner = await callerOf(db, this.#base, initiator, now, own);
    return owner && { ...owner, kind: 'token', program, grants: [...owner.grants, [policy]] };
  }

  /** Ends the validity of a program's token on this node at once. */
  forgetToken(secret: string): void {
    this.#cache.token.delete(secret);
  }

  /** To be called after any commit that changes permissions: clears the caches of all nodes. */
  async invalidate(): Promise<void> {
    this.#clear();
    await this.#engine.notify(IDENTITY);
  }

  #clear(): void {
    for (const cache of Object.values(this.#cache)) cache.clear();
  }

  /** Saves when sessions and members were last seen. Not part of any call: losing a minute of it in a crash is acceptable. */
  async saveLastSeen(): Promise<void> {
    const used = [...this.#used].sort(([, one], [, other]) => one - other);
    this.#used.clear();
    const { db } = this.#engine;
    const sessions = new Map(
      used.flatMap(([{ session }, at]) => (session === undefined ? [] : [[session.hash, at]])),
    );
    await Promise.all([...sessions].map(([hash, at]) => updateSessionSeen(db, hash, at)));
    // Service tokens and programs act without the member, so their calls do not update when the member was last seen.
    const seen = new Map(
      used
        .filter(([{ token, program }]) => token?.isService !== true && program === undefined)
        .map(([{ member, token }, at]) => [member.id, { at, token }]),
    );
    await Promise.all([...seen].map(([id, { at, token }]) => updateLastSeen(db, id, at, token?.id)));
  }
}

/** Whose permissions background work has: a member's, or those of a service token. */
export interface Initiator {
  memberId: string;
  serviceTokenId?: string;
  /** The id of the boundary of the token that was used; absent for all permissions. */
  boundary?: string;
}

/** The initiator as records name them. Without a boundary, so it is for what was permitted and only has to be written down. */
export function recordedAs({ member, token }: KnownCaller): Initiator {
  return { memberId: member.id, ...(token?.isService && { serviceTokenId: token.id }) };
}
