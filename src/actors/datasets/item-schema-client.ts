// Checks items against a schema on a thread of its own, for as long as an honest schema could need.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Item } from '../../kernel/export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import type { InvalidItems } from './invalid-items.ts';
import { packItems } from './pack.ts';

/** Beside this file and with its ending, which is .ts in the sources and .js in a bundle. */
const THREAD = new URL(`./item-schema-thread${extname(import.meta.url)}`, import.meta.url);

/** Of work, which is as much as the largest push with an honest schema takes; how busy the machine is does not matter. */
const MOST_CPU_MS = 1000;
const LOOK_MS = 50;
const MOST_MEGABYTES = 512;
/** At a time, so that hostile schemas take no more than one core; and waiting, so that nobody waits for minutes. */
const MOST_THREADS = 1;
const MOST_WAITING = 50;

export interface CheckTask {
  fields: Item;
  texts: string[];
}

export type Checked = Pick<InvalidItems, 'count' | 'first'>;

let running = 0;
const waiting: (() => void)[] = [];

/** Schemas that took too long even so, and until when nobody need wait for them again. */
const refused = new WeakMap<object, number>();
const REFUSED_MS = 60_000;

export async function checkInThread(items: readonly Item[], fields: Item): Promise<Checked> {
  checkRefused(fields);
  if (waiting.length >= MOST_WAITING) {
    throw new Failure('unavailable', 'Too many items wait to be checked against schemas; try again.', {
      headers: { 'retry-after': '10' },
    });
  }
  if (running === MOST_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
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

async function check(workerData: CheckTask): Promise<Checked> {
  const { promise, resolve, reject } = Promise.withResolvers<Checked>();
  const worker = new Worker(THREAD, {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  });
  const looking = setInterval(() => {
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > MOST_CPU_MS && reject(tooLong()),
      () => {}, // it has ended
    );
  }, LOOK_MS);
  worker.once('message', resolve);
  // Out of memory, or out of stack: a schema that refers to itself.
  worker.once('error', (cause) => reject(tooLong(cause)));
  try {
    return await promise;
  } finally {
    clearInterval(looking);
    await worker.terminate();
  }
}

function tooLong(cause?: unknown): Failure {
  return new Failure('invalid', 'It takes too long to check the items against the schema: simplify it', {
    code: 'schema-validation-error',
    cause,
  });
}
