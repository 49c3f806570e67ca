// Copies a key-value store: records byte for byte in the encoding they are stored in, several at a time, each as a stream.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from '../../../kernel/network/streams.ts';
import { attempt, type ImportContext } from './import-context.ts';
import { RemoteError, isRetryable } from './remote-error.ts';
import { eachKeyPage } from './remote-lists.ts';
import { finishStorage, openStorageCopy, savePosition, type StorageCopy } from './storage-copy.ts';
import type { RemoteApi } from './remote-api.ts';

const PARALLEL = 8;
/** Names of records in a reason. */
const MAX_NAMED = 5;

/** The id of the store on the target. A store is copied once, though Actors and lists name it. */
export async function copyStore(
  context: ImportContext,
  wanted: { id: string; name: string },
): Promise<string> {
  const { ids } = context;
  const known = ids.stores.get(wanted.id);
  if (known !== undefined) return known;
  const copy = await openStorageCopy(context, 'key-value-stores', wanted);
  const id = copy.target?.id ?? '';
  ids.stores.set(wanted.id, id);
  await attempt(context, { kind: 'key-value-stores', name: wanted.name }, () => copyRecords(context, copy));
  return id;
}

async function copyRecords(context: ImportContext, copy: StorageCopy): Promise<void> {
  const { source, progress, isNew, name } = copy;
  const kept: string[] = [];
  const failed: string[] = [];
  let [added, seen] = [0, 0];
  if (progress.isDone !== true) {
    for await (const page of eachKeyPage(context.from, source.id, progress.position)) {
      await forEachParallel(page, PARALLEL, async ({ key }) => {
        const outcome = await moveRecord(context, copy, key);
        if (outcome === 'added') added += 1;
        if (outcome === 'kept') kept.push(key);
        if (typeof outcome === 'object') failed.push(`${key}: ${outcome.message}`);
        seen += 1;
        context.progress.update(`key-value store ${name}: ${seen.toLocaleString('en')} records`);
      });
      // A position after something that was left out would hide it from the next import.
      if (kept.length + failed.length === 0) savePosition(context, copy, { position: page.at(-1)!.key });
    }
  }
  context.report.content.records += added;
  finishStorage(
    context,
    { ...copy, isNew },
    {
      added,
      unit: added === 1 ? 'record' : 'records',
      ...(kept.length > 0 && { kept: [`differs in ${nameSome(kept)}`] }),
      ...(failed.length > 0 && { failed: [nameSome(failed)] }),
    },
  );
}

async function moveRecord(
  context: ImportContext,
  { source, target, isNew }: StorageCopy,
  key: string,
): Promise<'added' | 'same' | 'kept' | RemoteError> {
  const { from, to, options } = context;
  const there = target !== undefined && !isNew && (await hasRecord(to, target.id, key));
  try {
    if (there) {
      const [wanted, actual] = [
        await digestRecord(from, source.id, key),
        await digestRecord(to, target.id, key),
      ];
      if (wanted === actual || wanted === undefined) return 'same';
      if (!options.overwrites) return 'kept';
    }
    if (options.isDryRun || target === undefined) return 'added';
    return (await copyRecord({ from, to }, { from: source.id, to: target.id }, key)) ? 'added' : 'same';
  } catch (error) {
    if (!(error instanceof RemoteError) || isRetryable(error) || error.status === 401) throw error;
    return error;
  }
}

function nameSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}

/** The first error stops the work: no further item is begun, and those under way are waited for. */
async function forEachParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const worker = async () => {
    while (next < items.length && !hasFailed) {
      const item = items[next]!;
      next += 1;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** False if it is gone from the source by now. */
async function copyRecord(
  { from, to }: { from: RemoteApi; to: RemoteApi },
  stores: { from: string; to: string },
  key: string,
): Promise<boolean> {
  return await from.retry(async () => {
    const answer = await openRecord(from, stores.from, key, 'gzip, br, deflate');
    if (answer === undefined) return false;
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = answer.headers;
    try {
      await to.upload(pathOf(stores.to, key), contentOf(answer), {
        'content-type': type ?? 'application/octet-stream',
        ...(encoding !== undefined && { 'content-encoding': encoding }),
        ...(length !== undefined && { 'content-length': length }),
      });
    } finally {
      answer.destroy();
    }
    return true;
  });
}

async function hasRecord(api: RemoteApi, storeId: string, key: string): Promise<boolean> {
  try {
    await api.head(pathOf(storeId, key));
    return true;
  } catch (error) {
    if (error instanceof RemoteError && error.status === 404) return false;
    throw error;
  }
}

/** A hash of the decoded content and its type; undefined if there is no such record. */
async function digestRecord(api: RemoteApi, storeId: string, key: string): Promise<string | undefined> {
  return await api.retry(async () => {
    const answer = await openRecord(api, storeId, key, 'identity');
    if (answer === undefined) return undefined;
    const type = (answer.headers['content-type'] ?? '').toLowerCase().replaceAll(' ', '');
    const hash = createHash('sha256').update(`${type}\n`);
    const name = answer.headers['content-encoding'] ?? '';
    const decoder = Object.hasOwn(DECODERS, name) ? [DECODERS[name as keyof typeof DECODERS]()] : [];
    try {
      await pipeline([answer, ...decoder, hash]);
    } catch (error) {
      throw RemoteError.broken(error);
    }
    return hash.digest('hex');
  });
}

async function openRecord(
  api: RemoteApi,
  storeId: string,
  key: string,
  encodings: string,
): Promise<IncomingMessage | undefined> {
  try {
    // As an attachment, content is given as it is: otherwise a server may change HTML.
    return await api.open(pathOf(storeId, key), {
      query: { attachment: 1 },
      headers: { 'accept-encoding': encodings },
    });
  } catch (error) {
    if (error instanceof RemoteError && error.status === 404) return undefined;
    throw error;
  }
}

async function* contentOf(answer: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw RemoteError.broken(error);
  }
}

function pathOf(storeId: string, key: string): string {
  return `/key-value-stores/${storeId}/records/${encodeURIComponent(key)}`;
}
