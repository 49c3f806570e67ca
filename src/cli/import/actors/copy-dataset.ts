// Copies a dataset: items only ever come at its end, so what is missing begins where the target ends.
import { isDeepStrictEqual } from 'node:util';
import type { ImportContext } from './import-context.ts';
import type { RemoteApi } from './remote-api.ts';
import { RemoteError, isRetryable } from './remote-error.ts';
import { finishStorage, openStorageCopy, type RemoteStorage, type StorageCopy } from './storage-copy.ts';

/** Items of one call to the source, which are never in memory together. */
const PAGE = 10_000;
/** Items that are compared at the beginning and at the end of what the target has. */
const SAMPLE = 20;

export async function copyDataset(
  context: ImportContext,
  wanted: { id: string; name: string },
): Promise<void> {
  const { options, report } = context;
  const copy = await openStorageCopy(context, 'datasets', wanted);
  const { source, target, progress } = copy;
  const total = source.itemCount ?? 0;
  const before = target?.itemCount ?? 0;
  const finish = (added: number, kept: string[] = [], failed: string[] = []) => {
    report.content.items += added;
    finishStorage(context, copy, { added, unit: added === 1 ? 'item' : 'items', kept, failed });
  };
  if (progress.isDone === true) return finish(0);
  if (target !== undefined && before > 0 && !(await isPrefix(context, copy, Math.min(before, total))))
    return finish(0, ['has other items than the source']);
  if (options.isDryRun || target === undefined) return finish(Math.max(0, total - before));
  // The target may go on with items of its own, once it has all of the source.
  if (before >= total && before > 0) return finish(0);
  const end = await copyItems(context, copy, before);
  const { itemCount = 0 } = await context.to.get<RemoteStorage>(`/datasets/${target.id}`);
  const others =
    itemCount === end ? [] : [`has ${itemCount} items instead of ${end}: something else writes to it`];
  finish(end - before, [], others);
}

/** Whether the target's items are those of the source, by samples: items never change. */
async function isPrefix(
  { from, to }: ImportContext,
  { source, target }: StorageCopy,
  length: number,
): Promise<boolean> {
  const read = (api: RemoteApi, id: string, offset: number) =>
    api.get<unknown[]>(`/datasets/${id}/items`, { offset, limit: Math.min(SAMPLE, length - offset) });
  for (const offset of new Set([0, Math.max(0, length - SAMPLE)])) {
    if (length === 0) return true;
    const pages = await Promise.all([read(from, source.id, offset), read(to, target!.id, offset)]);
    if (!isDeepStrictEqual(pages[0], pages[1])) return false;
  }
  return true;
}

/** The number of items on the target afterwards. */
async function copyItems(
  context: ImportContext,
  { source, target, name }: StorageCopy,
  start: number,
): Promise<number> {
  const { from, to, progress } = context;
  const total = Math.max(source.itemCount ?? 0, start).toLocaleString('en');
  let offset = start;
  let targetError: unknown;
  for (;;) {
    const end = offset + PAGE;
    await from.retry(
      async () => {
        const answer = await from.open(`/datasets/${source.id}/items`, {
          query: { format: 'jsonl', offset, limit: end - offset },
        });
        try {
          for await (const batch of batchLines(answer)) {
            await pushItems(to, target!.id, offset, batch).catch((error: unknown) => {
              throw (targetError = error);
            });
            offset += batch.count;
            progress.update(`dataset ${name}: ${offset.toLocaleString('en')} of ${total} items`);
          }
        } finally {
          answer.destroy();
        }
      },
      // A push that may have arrived must not be sent again from here.
      (error) => error !== targetError && isRetryable(error),
    );
    if (offset < end) return offset;
  }
}

/** A push whose answer was lost is repeated only if its items are not there. */
async function pushItems(
  to: RemoteApi,
  id: string,
  offset: number,
  { text, count }: ItemBatch,
): Promise<void> {
  let isDoubtful = false;
  await to.retry(
    async () => {
      if (isDoubtful) {
        const { itemCount = 0 } = await to.get<RemoteStorage>(`/datasets/${id}`);
        if (itemCount >= offset + count) return;
      }
      isDoubtful = true;
      await to.send('POST', `/datasets/${id}/items`, text);
    },
    (error) => isRetryable(error) && error instanceof RemoteError && !error.isUnsent,
  );
}

const NEWLINE = 0x0a;
const BATCH_ITEMS = 1000;
const BATCH_BYTES = 2 * 1024 * 1024;

interface ItemBatch {
  /** A JSON array. */
  text: string;
  count: number;
}

/** Splits JSON lines into batches that one call can push. The texts of items stay as they are. */
async function* batchLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch, void> {
  let [lines, bytes]: [string[], number] = [[], 0];
  const take = (): ItemBatch => {
    const batch = { text: `[${lines.join(',')}]`, count: lines.length };
    [lines, bytes] = [[], 0];
    return batch;
  };
  for await (const line of splitLines(content)) {
    if (lines.length > 0 && bytes + line.length > BATCH_BYTES) yield take();
    lines.push(line.toString('utf8'));
    bytes += line.length;
    if (lines.length >= BATCH_ITEMS) yield take();
  }
  if (lines.length > 0) yield take();
}

async function* splitLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let parts: Uint8Array[] = [];
  try {
    for await (const chunk of content) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
        [parts, start] = [[], end + 1];
        if (line.length > 0) yield line;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    }
  } catch (error) {
    throw error instanceof RemoteError ? error : RemoteError.broken(error);
  }
  const last = Buffer.concat(parts);
  if (last.length > 0) yield last;
}
