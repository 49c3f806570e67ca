// Checks items against a slow schema in a worker thread, with limits on time and memory.
import { extname } from 'node:path';
import { WorkerThread } from '../../kernel/network/streams.ts';
import type { Item } from '../export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import type { InvalidItems } from './invalid-items.ts';
import { packItems } from './chunks.ts';

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const THREAD = new URL(`./item-schema-thread${extname(import.meta.url)}`, import.meta.url);

/** CPU time, not wall time, so that the load of the machine does not matter. The largest push with an honest schema takes as much. */
const MAX_CPU_MS = 1000;
const POLL_MS = 50;
const MAX_MEGABYTES = 512;
/** One thread, so that hostile schemas use one core at most; and a bounded queue, so that no call waits for minutes. */
const MAX_THREADS = 1;
const MAX_WAITING = 50;

export interface CheckTask {
  fields: Item;
  texts: string[];
}

export type CheckResult = Pick<InvalidItems, 'count' | 'first'>;

let running = 0;
const waiting: (() => void)[] = [];

/** Schemas that exceeded the limits, and until when they are rejected without another try. */
const refused = new WeakMap<object, number>();
const REFUSED_MS = 60_000;

export async function checkInThread(items: readonly Item[], fields: Item): Promise<CheckResult> {
  checkRefused(fields);
  if (waiting.length >= MAX_WAITING) {
    throw new Failure('unavailable', 'Too many items wait to be checked against schemas; try again.', {
      headers: { 'retry-after': '10' },
    });
  }
  if (running === MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    checkRefused(fields);
    const { chunks } = await packItems(items, new Set());
    return await check({ fields, texts: chunks.map(({ text }) => text) });
  } catch (error) {
    refused.set(fields, performance.now() + REFUSED_MS);
    throw error;
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function checkRefused(fields: Item): void {
  if (performance.now() < (refused.get(fields) ?? 0)) throw tooLong();
}

async function check(workerData: CheckTask): Promise<CheckResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CheckResult>();
  const worker = new WorkerThread(THREAD, {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  const poll = setInterval(() => {
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > MAX_CPU_MS && reject(tooLong()),
      () => {}, // the thread has ended
    );
  }, POLL_MS);
  worker.once('message', resolve);
  // Out of memory, or a stack overflow: the schema refers to itself.
  worker.once('error', (cause) => reject(tooLong(cause)));
  try {
    return await promise;
  } finally {
    clearInterval(poll);
    await worker.terminate();
  }
}

function tooLong(cause?: unknown): Failure {
  return new Failure('invalid', 'It takes too long to check the items against the schema: simplify it', {
    code: 'schema-validation-error',
    cause,
  });
}
