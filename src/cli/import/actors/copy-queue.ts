// Copies a request queue: first what is pending, in its order, then what was handled.
import { setTimeout as delay } from 'node:timers/promises';
import { chunk } from '../../../kernel/collections/chunk.ts';
import type { ImportContext } from './import-context.ts';
import { eachRequestPage, type RemoteRequest } from './remote-lists.ts';
import { finishStorage, openStorageCopy, savePosition, type StorageCopy } from './storage-copy.ts';

/** The most that one call adds. */
const BATCH = 25;
const BATCH_BYTES = 8 * 1024 * 1024;
const UNPROCESSED_WAIT_MS = 500;
const CLIENT_KEY = 'signalbox-import';

/** Lists with a filter are in the order of the queue, the one of everything is not. */
const PASSES = [
  { filter: 'locked,pending', isMeant: ({ handledAt }: RemoteRequest) => handledAt == null },
  { isMeant: ({ handledAt }: RemoteRequest) => handledAt != null },
] as const;

interface BatchResult {
  processedRequests: {
    uniqueKey: string;
    requestId: string;
    wasAlreadyPresent: boolean;
    wasAlreadyHandled: boolean;
  }[];
  unprocessedRequests: { uniqueKey: string }[];
}

export async function copyQueue(context: ImportContext, wanted: { id: string; name: string }): Promise<void> {
  const { from, options, report } = context;
  const copy = await openStorageCopy(context, 'request-queues', wanted);
  const { source, target, progress, name } = copy;
  const finish = (added: number, handled = 0) => {
    report.content.requests += added;
    const changed = handled === 0 ? [] : [`${handled.toLocaleString('en')} handled since`];
    finishStorage(context, copy, { added, unit: added === 1 ? 'request' : 'requests', changed });
  };
  if (progress.isDone === true) return finish(0);
  if (options.isDryRun || target === undefined) return finish(missingCount(copy));
  const total = Number(source['totalRequestCount'] ?? 0).toLocaleString('en');
  let [added, handled, seen] = [0, 0, 0];
  for (const [pass, { isMeant, ...query }] of PASSES.entries()) {
    if (pass < (progress.pass ?? 0)) continue;
    const cursor = pass === progress.pass ? progress.position : undefined;
    const start = { ...query, ...(cursor !== undefined && { cursor }) };
    for await (const { items, next } of eachRequestPage(from, source.id, start)) {
      const meant = items.filter(isMeant);
      for (const batch of inSmallBatches(meant)) {
        const result = await addBatch(context, target.id, batch);
        added += result.added;
        handled += result.handled;
      }
      seen += meant.length;
      context.progress.update(`request queue ${name}: ${seen.toLocaleString('en')} of ${total} requests`);
      if (next !== undefined) savePosition(context, copy, { pass, position: next });
    }
    savePosition(context, copy, { pass: pass + 1 });
  }
  finish(added, handled);
}

/** For a dry run: by the totals alone. */
function missingCount({ source, target }: StorageCopy): number {
  return Math.max(0, Number(source['totalRequestCount'] ?? 0) - Number(target?.['totalRequestCount'] ?? 0));
}

function* inSmallBatches(requests: readonly RemoteRequest[]): Generator<RemoteRequest[]> {
  for (const batch of chunk(requests, BATCH)) {
    const bytes = Buffer.byteLength(JSON.stringify(batch));
    if (bytes <= BATCH_BYTES) yield batch;
    else for (const request of batch) yield [request];
  }
}

/** Requests that the target has are left as they are, unless the source has handled them since. */
async function addBatch(
  { to }: ImportContext,
  queueId: string,
  batch: readonly RemoteRequest[],
): Promise<{ added: number; handled: number }> {
  const path = `/request-queues/${queueId}/requests`;
  const query = { clientKey: CLIENT_KEY };
  const byKey = new Map(batch.map((request) => [request.uniqueKey, request]));
  let [added, handled] = [0, 0];
  for (let rest = [...batch]; rest.length > 0;) {
    // A request that is there is not added again, so the call may be repeated.
    const result = await to.send<BatchResult>('POST', `${path}/batch`, rest.map(toNew), {
      query,
      isRepeatable: true,
    });
    for (const { uniqueKey, requestId, wasAlreadyPresent, wasAlreadyHandled } of result.processedRequests) {
      const request = byKey.get(uniqueKey)!;
      if (!wasAlreadyPresent) added += 1;
      else if (request.handledAt != null && !wasAlreadyHandled) {
        await to.send('PUT', `${path}/${requestId}`, { ...toNew(request), id: requestId }, { query });
        handled += 1;
      }
    }
    rest = result.unprocessedRequests.map(({ uniqueKey }) => byKey.get(uniqueKey)!);
    if (rest.length > 0) await delay(UNPROCESSED_WAIT_MS);
  }
  return { added, handled };
}

/** Without its lock; the id follows from the key. */
function toNew({ id: _id, lockExpiresAt: _until, lockByClient: _client, ...request }: RemoteRequest) {
  return request;
}
