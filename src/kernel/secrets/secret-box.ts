// Encrypts the secrets that the database stores, with keys that are not in the database and can be changed while servers run. ADR 0173.
import { Failure } from '../failure.ts';
import type { Logger } from '../observability/log.ts';
import type { Engine } from '../storage/engine.ts';
import { lockName } from '../storage/locks.ts';
import type { Db } from '../storage/tables.ts';
import type { SecretKey } from './key.ts';
import { Keyring, sealNamed, sealUnnamed } from './keyring.ts';
import {
  claimKeyFingerprint,
  deleteKeyNode,
  findWrittenKey,
  listKeyNodes,
  NODE_LEASE_MS,
  updateWrittenKey,
  upsertKeyNode,
  type KeyNode,
  type WrittenKey,
} from './store-keyring.ts';

export interface SecretBox {
  /** Call it before a transaction rather than in one: the first call may write to the database. */
  seal(text: string): Promise<string>;
  /** Throws for a text that was sealed with a key that is not there, or changed since. */
  open(sealed: string): string;
  /** A code that only holders of the key can make; a different one for each purpose. */
  sign(purpose: string, text: string): string;
  /** Whether any key of the server has made the signature: those of an older one are good until they expire. */
  verify(purpose: string, text: string, signature: string): boolean;
}

export interface SecretKeeper extends SecretBox {
  /** Reads the keys anew, tells other nodes which ones are here, and writes the newest as soon as all of them read it. `isAsked`: somebody says that there are others. */
  refresh(isAsked?: boolean): Promise<void>;
  /** The value of a column with the key that is written now. */
  reseal(value: string): string;
  /** The key that is written. */
  readonly written: SecretKey;
  close(): Promise<void>;
}

export interface SecretBoxOptions {
  engine: Pick<Engine, 'db' | 'isShared' | 'notify'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  now(): number;
  /** The newest first. */
  readKeys(isAsked?: boolean): Promise<readonly string[]>;
  /** Where the keys are from, for messages. */
  source: string;
  /** A name that no other process has. */
  node: string;
  /** In the transaction that begins to write another key. */
  onChanged?(tx: Db): Promise<void>;
}

/** The channel that says that the key was changed, or that keys are to be read anew. */
export const KEYS_CHANNEL = 'secret-keys';

const LOCK = 'secret-key';

/**
 * The database gets the fingerprint of the key with the first secret; from then on no server starts without that key. On a
 * database that several nodes share, the first secret waits for that, so that two nodes with different keys cannot both
 * store some. Elsewhere it need not wait, and must not: the caller may be in the only transaction that can write.
 */
export async function openSecretBox(options: SecretBoxOptions): Promise<SecretKeeper> {
  const { engine, log, now, readKeys, source, node, onChanged } = options;
  const { db, isShared } = engine;
  let ring = new Keyring(await readKeys());
  let row: WrittenKey | undefined;
  let written = ring.newest;
  let claiming: Promise<void> | undefined;

  /** Under a lock: no node may come that lacks the newest key while it is found that all have it. */
  async function settle(given: Keyring): Promise<void> {
    const isChanged = await (isShared
      ? db.transaction().execute(async (tx) => {
          await lockName(tx, LOCK);
          return await decide(tx, given);
        })
      : decideAlone(given));
    if (!isChanged) return;
    log.info({ key: written.id }, 'secrets are encrypted with another key from now on');
    await engine.notify(KEYS_CHANNEL);
  }

  /** A server that is alone writes only where there is something to change. */
  async function decideAlone(given: Keyring): Promise<boolean> {
    const known = await findWrittenKey(db);
    if (known === undefined || known.fingerprint === given.newest.fingerprint) {
      adopt(given, known, []);
      return false;
    }
    return await db.transaction().execute((tx) => decide(tx, given));
  }

  async function decide(tx: Db, given: Keyring): Promise<boolean> {
    const known = await findWrittenKey(tx);
    const others = isShared ? (await listKeyNodes(tx, now())).filter((other) => other.node !== node) : [];
    adopt(given, known, others);
    const { newest } = ring;
    const isChange =
      known !== undefined &&
      known.fingerprint !== newest.fingerprint &&
      others.every(({ keys }) => keys.includes(newest.id));
    if (isChange) {
      await updateWrittenKey(tx, newest.fingerprint, now());
      await onChanged?.(tx);
      row = { fingerprint: newest.fingerprint, changedAt: now(), sweptAt: null };
      written = newest;
    }
    if (isShared)
      await upsertKeyNode(tx, { node, keys: ring.ids, writes: written.id, until: now() + NODE_LEASE_MS });
    return isChange;
  }

  function adopt(given: Keyring, known: WrittenKey | undefined, others: readonly KeyNode[]): void {
    const found = known === undefined ? commonKey(given, others) : given.find(known.fingerprint);
    if (found === undefined) throw wrongKey(source, isShared, known === undefined ? others : []);
    [ring, row, written] = [given, known, found];
  }

  async function claim(): Promise<void> {
    if ((await claimKeyFingerprint(db, written.fingerprint)) !== written.fingerprint)
      throw wrongKey(source, isShared, []);
    row ??= { fingerprint: written.fingerprint, changedAt: null, sweptAt: null };
  }

  await settle(ring);
  return {
    async seal(text) {
      if (row === undefined) {
        claiming ??= claim();
        const claimed = claiming.catch((error: unknown) => {
          claiming = undefined;
          if (isShared) throw error;
          log.warn({ err: error }, 'the fingerprint of the secret key was not stored');
        });
        if (isShared) await claimed;
      }
      return row?.changedAt == null ? sealUnnamed(written, text) : sealNamed(written, text);
    },
    open: (sealed) => ring.open(sealed),
    sign: (purpose, text) => written.sign(purpose, text),
    verify: (purpose, text, signature) => ring.verify(purpose, text, signature),
    reseal: (value) => ring.reseal(value, written),
    get written() {
      return written;
    },
    async refresh(isAsked) {
      await settle(new Keyring(await readKeys(isAsked)));
    },
    async close() {
      if (isShared) await deleteKeyNode(db, node, now());
    },
  };
}

/** Before the first secret: the newest that all nodes read. */
function commonKey(ring: Keyring, others: readonly KeyNode[]): SecretKey | undefined {
  return ring.keys.find(({ id }) => others.every(({ keys }) => keys.includes(id)));
}

function wrongKey(source: string, isShared: boolean, others: readonly KeyNode[]): Failure {
  const remedy = isShared
    ? 'Nodes that share a database need the same key: set SIGNALBOX_SECRET_KEY to the same value on each. Where the first node ' +
      'was started without it, the value is in the file secret.key in its data folder.'
    : 'Restore the file secret.key in the data folder from the backup, or set SIGNALBOX_SECRET_KEY to what it was.';
  const what =
    others.length > 0
      ? `Another node of this database, ${others.map(({ node }) => node.split(':', 2).join(':')).join(', ')}, has no key in common with ${source}.`
      : `The secrets in this database are encrypted with another key than ${source}.`;
  return new Failure(
    'invalid',
    `${what} ${remedy} If the key is lost, see "The secret key" in docs/guide/operate.md.`,
  );
}
