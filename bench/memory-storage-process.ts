// Runs the operations of the queue bench on Crawlee's local storage, and prints the rate per second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStorage } from '@crawlee/memory-storage';

const [, , kind, ...numbers] = process.argv;
const [concurrency = 0, batch = 0, amount = 0] = numbers.map(Number);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const storage = new MemoryStorage({ localDataDirectory: folder, persistStorage: true });
const { id } = await storage.requestQueues().getOrCreate('bench');
const queue = storage.requestQueue(id, { clientKey: 'bench' });

const HANDLED_AT = '2026-01-01T00:00:00.000Z';
let requests = 0;

function nextBatch() {
  return Array.from({ length: batch }, () => {
    requests += 1;
    const url = `https://example.com/products/${requests}`;
    return { url, uniqueKey: url, method: 'GET' as const, userData: { label: 'DETAIL', depth: 2 } };
  });
}

/** Runs so many at once until nothing is left. Returns the duration in seconds. */
async function together(step: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (await step());
    }),
  );
  return (performance.now() - begun) / 1000;
}

function add(): Promise<number> {
  return together(async () => {
    if (requests >= amount) return false;
    await queue.batchAddRequests(nextBatch());
    return true;
  });
}

function handle(): Promise<number> {
  return together(async () => {
    const { items } = await queue.listAndLockHead({ limit: batch, lockSecs: 60 });
    for (const { id: requestId, url, uniqueKey } of items) {
      const request = await queue.getRequest(requestId);
      await queue.updateRequest({ ...request, id: requestId, url, uniqueKey, handledAt: HANDLED_AT });
    }
    return items.length > 0;
  });
}

const adding = await add();
const seconds = kind === 'cycle' ? await handle() : adding;
console.log(amount / seconds);
await storage.teardown();
rmSync(folder, { recursive: true, force: true });
