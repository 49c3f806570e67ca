// Who may look into a storage and who may change it; finds it from memory when it was used lately.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call, Route } from '../../kernel/route.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { TOKEN_HEADER } from '../failures.ts';
import { isName, isSignedBy, parseReference, type Storage, type StorageKind } from './model.ts';
import { findStorage, touchStorage } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By what calls name them. */
    storages: BoundedCache<string, Storage>;
  }
}

/** Told by every commit that changes what a storage is called, who may see it, or that it is. */
export const CHANNEL = 'storages';
const REMEMBER_MS = 5000;
const MOST_REMEMBERED = 10_000;
/** How exactly the time of last use is kept: a write for every call would cost more than it tells. */
const TOUCH_MS = 60_000;

/** As much of a call as says who asks. */
export type Asking = Pick<Call, 'can' | 'now'> & { caller: Caller };

const ACTIONS = { read: 'viewStorage', write: 'updateStorage' };

/** For the `access` of routes about one storage. */
export const READING = { action: ACTIONS.read, ofOwner: true, isOpen: true } as const;
export const WRITING = { action: ACTIONS.write, ofOwner: true } as const;

export interface StorageName {
  /** As the path names it. */
  reference: string;
  /** What the query shows instead of a token. */
  signature?: string | undefined;
  /** The record that is asked for, where a signature may be good for one alone. */
  key?: string;
}

/**
 * The storage, if the caller may do this with it. Another's unnamed storage looks as if there were none; to whoever shows no
 * token, or a signature that does not open it, so does every storage that is not public.
 */
export async function openStorage(
  kernel: Kernel,
  kind: StorageKind,
  need: 'read' | 'write',
  call: Asking,
  name: StorageName,
): Promise<Storage> {
  const storage = await findPermitted(kernel, kind, need, call, name);
  if (call.now - storage.accessedAt > TOUCH_MS) {
    storage.accessedAt = call.now;
    await touchStorage(kernel.db, storage.id, call.now);
  }
  return storage;
}

/** For a route that reads: a call that is wrong says so only to those who may look into the storage. */
export function authorizeReading(kind: StorageKind, signed?: 'signed'): NonNullable<Route['authorize']> {
  return async (call, kernel) => {
    const { storageId = '', recordKey } = call.params;
    const { signature } = call.query;
    await findPermitted(kernel, kind, 'read', call, {
      reference: storageId,
      // Two of them are none that is good.
      ...(signed && signature !== undefined && { signature: [signature].flat().join(' ') }),
      ...(recordKey !== undefined && { key: recordKey }),
    });
  };
}

async function findPermitted(
  kernel: Kernel,
  kind: StorageKind,
  need: 'read' | 'write',
  call: Asking,
  name: StorageName,
): Promise<Storage> {
  const storage = await findCached(kernel, kind, call, name);
  if (storage === undefined) throw refusalOf(call, name, need) ?? notFound(kind, name.reference);
  checkAccess(storage, need, call, name);
  return storage;
}

/** The owner needs the permission. All others need to be let in by the storage itself. */
function checkAccess(storage: Storage, need: 'read' | 'write', call: Asking, name: StorageName): void {
  const { signature, key, reference } = name;
  const { now } = call;
  const isAllowed = call.can(`${storage.kind}/${storage.id}`, ACTIONS[need]);
  if (isOwner(call.caller, storage)) {
    if (isAllowed) return;
    throw denied(storage.kind);
  }
  if (need === 'read') {
    if (storage.generalAccess === 'ANYONE_WITH_ID_CAN_READ' && !reference.includes('~')) return;
    if (storage.generalAccess === 'ANYONE_WITH_NAME_CAN_READ') return;
    if (signature !== undefined && isSignedBy(signature, storage, now, key)) return;
  }
  const refusal = refusalOf(call, name, need);
  if (refusal !== undefined) throw refusal;
  throw storage.name === null ? notFound(storage.kind, reference) : denied(storage.kind);
}

/** What those are told who may not know whether there is such a storage: the same in either case. */
function refusalOf(
  { caller }: Asking,
  { signature }: StorageName,
  need: 'read' | 'write',
): Failure | undefined {
  if (signature !== undefined && need === 'read') {
    return new Failure('forbidden', 'The signature is not valid, or not any more', {
      code: 'invalid-signature',
    });
  }
  if (caller.kind !== 'anonymous') return undefined;
  return new Failure(
    'unauthenticated',
    `This call needs an access token. Send the header "${TOKEN_HEADER}".`,
  );
}

export function isOwner(caller: Caller, { userId }: Storage): caller is KnownCaller {
  return caller.kind !== 'anonymous' && accountOf(caller).id === userId;
}

/** Whether the caller may change the storage, and so may have the key that signs its URLs. */
export function mayWrite(caller: Caller, storage: Storage): boolean {
  return isOwner(caller, storage) && can(caller, 'updateStorage', `${storage.kind}/${storage.id}`);
}

export const WORDS: Record<StorageKind, string> = {
  dataset: 'dataset',
  'key-value-store': 'key-value store',
  'request-queue': 'request queue',
};

const ID = /^[0-9a-f]{24}$/;

export function notFound(kind: StorageKind, reference: string): Failure {
  if (parseReference(reference) === undefined) {
    const message = `"${reference}" names no ${WORDS[kind]}: write username~name`;
    return new Failure('malformed', message, { part: 'request' });
  }
  const found = `The ${WORDS[kind]} was not found`;
  return new Failure(
    'not-found',
    isName(reference) && !ID.test(reference)
      ? `${found}: there is none with the id "${reference}". If that is its name, write "~${reference}".`
      : found,
  );
}

/** In the words that clients look for. */
export function denied(kind: StorageKind): Failure {
  return new Failure(
    'denied',
    `Insufficient permissions for the ${WORDS[kind]}. Make sure you're passing a correct API token and that it has the required permissions.`,
  );
}

export async function openStorageCache(engine: Engine): Promise<BoundedCache<string, Storage>> {
  const storages = new BoundedCache<string, Storage>({ max: MOST_REMEMBERED });
  await engine.listen(CHANNEL, () => storages.clear());
  return storages;
}

async function findCached(
  { db, services: { storages } }: Kernel,
  kind: StorageKind,
  { caller, now }: Asking,
  { reference }: StorageName,
): Promise<Storage | undefined> {
  const callerId = caller.kind === 'anonymous' ? undefined : accountOf(caller).id;
  // An id means the same to everyone; `~name` means another storage to each. Only those keys have a tilde behind the kind.
  const key = reference.startsWith('~') ? `${kind} ~${callerId}${reference}` : `${kind} ${reference}`;
  const known = storages.get(key, now);
  if (known !== undefined) return known;
  return await storages.load(key, async () => {
    const asked = parseReference(reference);
    const storage = asked && (await findStorage(db, kind, asked, callerId));
    return storage && { value: storage, until: now + REMEMBER_MS };
  });
}
