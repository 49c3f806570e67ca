// Finds a storage, through a cache, and checks that the caller may read or write it.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call, Route } from '../../kernel/http/route.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { TOKEN_HEADER } from '../failures.ts';
import { mayViewAccount } from '../users/access.ts';
import { runTag } from '../runs/model.ts';
import { isName, isSignedBy, parseStorageRef, type Storage, type StorageKind } from './model.ts';
import { findStorage, touchStorage } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By kind and the reference in the path. */
    storages: BoundedCache<string, Storage>;
  }
}

/** Notified by every commit that renames or deletes a storage, or changes who may read it. */
export const STORAGE_CHANNEL = 'storages';
const CACHE_MS = 5000;
const MAX_CACHED = 10_000;
/** The precision of the time of last use: updating it with every call would cost too much. */
const TOUCH_MS = 60_000;

/** The part of a call that access checks need. */
export type StorageCall = Pick<Call, 'can' | 'now'> & { caller: Caller };

const ACTIONS = { read: 'viewStorage', write: 'updateStorage' };

/** For the `access` of routes about one storage. */
export const READ_ACCESS = { action: ACTIONS.read, ofOwner: true, isOpen: true } as const;
export const WRITE_ACCESS = { action: ACTIONS.write, ofOwner: true } as const;

interface StorageAccess {
  /** The reference in the path. */
  reference: string;
  /** The signature in the query, which replaces a token. */
  signature?: string | undefined;
  /** The key of the record, where a signature may be valid for one record alone. */
  key?: string;
}

/**
 * Throws unless the caller may do this. Another account's storage is reported as missing. Without a token, or with an
 * invalid signature, the error is the same for every storage that is not public and for a missing one.
 */
export async function openStorage(
  kernel: Kernel,
  kind: StorageKind,
  need: 'read' | 'write',
  call: StorageCall,
  name: StorageAccess,
): Promise<Storage> {
  const storage = await findAllowedStorage(kernel, kind, need, call, name);
  if (call.now - storage.accessedAt > TOUCH_MS) {
    storage.accessedAt = call.now;
    await touchStorage(kernel.db, storage.id, call.now);
  }
  return storage;
}

/** For routes that read: checks access before the query is validated, so that its errors disclose nothing about a hidden storage. */
export function authorizeReading(kind: StorageKind, signed?: 'signed'): NonNullable<Route['authorize']> {
  return async (call, kernel) => {
    const { storageId = '', recordKey } = call.params;
    const { signature } = call.query;
    await findAllowedStorage(kernel, kind, 'read', call, {
      reference: storageId,
      // Two signatures together are invalid.
      ...(signed && signature !== undefined && { signature: [signature].flat().join(' ') }),
      ...(recordKey !== undefined && { key: recordKey }),
    });
  };
}

async function findAllowedStorage(
  kernel: Kernel,
  kind: StorageKind,
  need: 'read' | 'write',
  call: StorageCall,
  name: StorageAccess,
): Promise<Storage> {
  const storage = await findCached(kernel, kind, call, name);
  if (storage === undefined)
    throw hiddenStorageError(call, name, need) ?? storageNotFound(kind, name.reference);
  checkAccess(storage, need, call, name);
  return storage;
}

/** The owner needs the permission; all others need general access or a signature. */
function checkAccess(storage: Storage, need: 'read' | 'write', call: StorageCall, name: StorageAccess): void {
  const { signature, key, reference } = name;
  const { now } = call;
  const isAllowed = call.can(storageResource(storage), ACTIONS[need]);
  if (isOwner(call.caller, storage)) {
    if (isAllowed) return;
    throw storageDenied(storage.kind);
  }
  const isOpen = isOpenToAll(storage, reference);
  if (need === 'read') {
    if (isOpen || (signature !== undefined && isSignedBy(signature, storage, now, key))) return;
  }
  const hidden = hiddenStorageError(call, name, need);
  if (hidden !== undefined) throw hidden;
  throw isOpen ? storageDenied(storage.kind) : storageNotFound(storage.kind, reference);
}

/** Whether everybody may read it who knows its id. */
export function isReadableById(storage: Pick<Storage, 'id' | 'generalAccess'>): boolean {
  return isOpenToAll(storage, storage.id);
}

/** Whether everybody may read it who names it so. */
function isOpenToAll({ generalAccess }: Pick<Storage, 'generalAccess'>, reference: string): boolean {
  if (generalAccess === 'ANYONE_WITH_ID_CAN_READ') return !reference.includes('~');
  return generalAccess === 'ANYONE_WITH_NAME_CAN_READ';
}

/** The error for a caller who may not know whether the storage exists: the same as for a missing one. */
function hiddenStorageError(
  { caller }: StorageCall,
  { signature }: StorageAccess,
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

/**
 * Whether the caller may have the key that signs URLs of the storage: by those it can be read for ever, so writing alone does not
 * suffice.
 */
export function maySign(caller: Caller, storage: Storage): boolean {
  return (
    isOwner(caller, storage) &&
    can(caller, 'updateStorage', storageResource(storage)) &&
    mayViewAccount(caller)
  );
}

/** With the run that created it as a tag: a run may always use what it has created. */
export function storageResource({ kind, id, actRunId }: Pick<Storage, 'kind' | 'id' | 'actRunId'>): string {
  return `${kind}/${id}${actRunId === null ? '' : `;${runTag(actRunId)}`}`;
}

export const KIND_NAMES: Record<StorageKind, string> = {
  dataset: 'dataset',
  'key-value-store': 'key-value store',
  'request-queue': 'request queue',
};

const ID = /^[0-9a-f]{24}$/;

export function storageNotFound(kind: StorageKind, reference: string): Failure {
  if (parseStorageRef(reference) === undefined) {
    const message = `"${reference}" names no ${KIND_NAMES[kind]}: write username~name`;
    return new Failure('malformed', message, { part: 'request' });
  }
  const found = `The ${KIND_NAMES[kind]} was not found`;
  return new Failure(
    'not-found',
    isName(reference) && !ID.test(reference)
      ? `${found}: there is none with the id "${reference}". If that is its name, write "~${reference}".`
      : found,
  );
}

/** Clients look for these words. */
export function storageDenied(kind: StorageKind): Failure {
  return new Failure(
    'denied',
    `Insufficient permissions for the ${KIND_NAMES[kind]}. Make sure you're passing a correct API token and that it has the required permissions.`,
  );
}

export async function openStorageCache(engine: Engine): Promise<BoundedCache<string, Storage>> {
  const storages = new BoundedCache<string, Storage>({ max: MAX_CACHED });
  await engine.listen(STORAGE_CHANNEL, () => storages.clear());
  return storages;
}

async function findCached(
  { db, services: { storages } }: Kernel,
  kind: StorageKind,
  { caller, now }: StorageCall,
  { reference }: StorageAccess,
): Promise<Storage | undefined> {
  const callerId = caller.kind === 'anonymous' ? undefined : accountOf(caller).id;
  // An id means the same to every caller; `~name` means another storage to each. Only those keys have a tilde after the kind.
  const key = reference.startsWith('~') ? `${kind} ~${callerId}${reference}` : `${kind} ${reference}`;
  const cached = storages.get(key, now);
  if (cached !== undefined) return cached;
  return await storages.load(key, async () => {
    const asked = parseStorageRef(reference);
    const storage = asked && (await findStorage(db, kind, asked, callerId));
    return storage && { value: storage, until: now + CACHE_MS };
  });
}
