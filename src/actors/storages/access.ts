// Who may look into a storage and who may change it; finds it from memory when it was used lately.
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isSignedBy, parseReference, type Storage, type StorageKind } from './model.ts';
import { findStorage, touchStorage } from './store.ts';

const CHANNEL = 'storages';
const REMEMBER_MS = 5000;
const MOST_REMEMBERED = 10_000;
/** How exactly the time of last use is kept: a write for every call would cost more than it tells. */
const TOUCH_MS = 60_000;

export interface StorageCall {
  caller: Caller;
  now: number;
  /** As the path names it. */
  reference: string;
  /** What the query shows instead of a token. */
  signature?: string | undefined;
  /** The record that is asked for, where a signature may be good for one alone. */
  key?: string;
}

/** The storage, if the caller may do this with it. Another's unnamed storage looks as if there were none. */
export async function openStorage(
  kernel: Kernel,
  kind: StorageKind,
  need: 'read' | 'write',
  call: StorageCall,
): Promise<Storage> {
  const storage = await memoryOf(kernel).find(kind, call);
  if (storage === undefined) throw notFound(kind);
  checkAccess(storage, need, call);
  if (call.now - storage.accessedAt > TOUCH_MS) {
    storage.accessedAt = call.now;
    await touchStorage(kernel.db, storage.id, call.now);
  }
  return storage;
}

function checkAccess(storage: Storage, need: 'read' | 'write', call: StorageCall): void {
  const { caller, signature, now, key } = call;
  const isOwn = caller.kind !== 'anonymous' && caller.member.id === storage.userId;
  if (isOwn) {
    const action = need === 'read' ? 'viewStorage' : 'updateStorage';
    if (can(caller, action, `${storage.kind}/${storage.id}`)) return;
    throw denied(storage.kind);
  }
  if (need === 'read') {
    if (storage.generalAccess === 'ANYONE_WITH_ID_CAN_READ' && !call.reference.includes('~')) return;
    if (storage.generalAccess === 'ANYONE_WITH_NAME_CAN_READ') return;
    if (signature !== undefined && isSignedBy(signature, storage, now, key)) return;
    if (signature !== undefined) {
      throw new Failure('forbidden', 'The signature is not valid, or not any more', {
        code: 'invalid-signature',
      });
    }
  }
  if (caller.kind === 'anonymous') throw new Failure('unauthenticated', 'This call needs an access token');
  throw storage.name === null ? notFound(storage.kind) : denied(storage.kind);
}

const WORDS: Record<StorageKind, string> = {
  dataset: 'dataset',
  'key-value-store': 'key-value store',
  'request-queue': 'request queue',
};

function notFound(kind: StorageKind): Failure {
  return new Failure('not-found', `The ${WORDS[kind]} was not found`);
}

function denied(kind: StorageKind): Failure {
  return new Failure(
    'denied',
    `Insufficient permissions for the ${WORDS[kind]}: make sure that you are passing a correct API token that may do this.`,
  );
}

/** Call after any commit that changes what a storage is called, who may see it, or that it is. */
export async function forgetStorages(kernel: Kernel): Promise<void> {
  memoryOf(kernel).clear();
  await kernel.engine.notify(CHANNEL);
}

const memories = new WeakMap<Kernel, Memory>();

function memoryOf(kernel: Kernel): Memory {
  let memory = memories.get(kernel);
  if (memory === undefined) {
    memory = new Memory(kernel);
    memories.set(kernel, memory);
  }
  return memory;
}

class Memory {
  readonly #kernel: Kernel;
  readonly #remembered = new Map<string, { storage: Storage; until: number }>();
  #generation = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    void kernel.engine.listen(CHANNEL, () => this.clear());
  }

  clear(): void {
    this.#remembered.clear();
    this.#generation += 1;
  }

  async find(kind: StorageKind, { reference, caller, now }: StorageCall): Promise<Storage | undefined> {
    const callerId = caller.kind === 'anonymous' ? undefined : caller.member.id;
    // An id means the same to everyone; `~name` means another storage to each.
    const key = reference.startsWith('~') ? `${kind} ${callerId}${reference}` : `${kind} ${reference}`;
    const known = this.#remembered.get(key);
    if (known !== undefined && known.until > now) return known.storage;
    const generation = this.#generation;
    const storage = await findStorage(this.#kernel.db, kind, parseReference(reference), callerId);
    if (storage !== undefined && generation === this.#generation) {
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(key, { storage, until: now + REMEMBER_MS });
    }
    return storage;
  }
}
