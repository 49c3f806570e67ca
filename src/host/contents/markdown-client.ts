// Renders Markdown in a worker thread, with limits on time and memory.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../kernel/failure.ts';

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const THREAD = new URL(`./markdown-thread${extname(import.meta.url)}`, import.meta.url);

/** The parser takes quadratic time for some texts, such as many `](`. This is CPU time, so that the load does not matter. */
const MAX_CPU_MS = 2000;
const POLL_MS = 50;
const MAX_MEGABYTES = 256;
const MAX_CHARACTERS = 512 * 1024;
/** One thread, so that hostile documents use one core at most; and a bounded queue, so that no call waits for minutes. */
const MAX_THREADS = 1;
const MAX_WAITING = 30;

let running = 0;
const waiting: (() => void)[] = [];

/** Undefined for a document that is too long, or takes too long. */
export async function renderMarkdown(text: string): Promise<string | undefined> {
  if (text.length > MAX_CHARACTERS) return undefined;
  if (waiting.length >= MAX_WAITING)
    throw new Failure('unavailable', 'Too many documents wait to be rendered; try again.', {
      headers: { 'retry-after': '10' },
    });
  if (running === MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await renderInThread(text);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function renderInThread(text: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const worker = new Worker(THREAD, {
    workerData: text,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  const poll = setInterval(() => {
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > MAX_CPU_MS && resolve(undefined),
      () => {}, // the thread has ended
    );
  }, POLL_MS);
  worker.once('message', resolve);
  // Out of memory, or a stack overflow.
  worker.once('error', () => resolve(undefined));
  try {
    return await promise;
  } finally {
    clearInterval(poll);
    await worker.terminate();
  }
}
