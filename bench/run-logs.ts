// What fifty followers of a live log read from the database and from blobs, against one follower.
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryExecutor } from 'kysely';
import type { Kernel } from '../src/kernel/kernel.ts';
import { ADMIN_TOKEN, startServer } from '../test/server.ts';
import { median, type Effort } from './compare.ts';
import type { Row } from './report.ts';

const FOLLOWERS = 50;
/** The same, but for a poll that falls into one measurement and not into the other. */
const MOST = 1.05;
const LIVE = `setInterval(() => console.log('a line of the log'), 50);\n`;

export async function benchLogs({ rounds, seconds }: Effort): Promise<Row> {
  const server = await startServer({ limits: 'off', logLevel: 'warn' });
  const reads = countReads(server.app.kernel);
  const { createActor, startRun, statusOf } = await import('../test/actors.ts');
  const { eventually } = await import('../test/eventually.ts');
  const files = {
    'package.json': JSON.stringify({ scripts: { start: 'node main.js' } }),
    'main.js': LIVE,
  };
  const { id: actorId } = await createActor(server, files);
  const { id } = await startRun(server, actorId as string, { query: 'memory=128' });
  const runId = id as string;
  await eventually(async () => (await statusOf(server, runId)) === 'RUNNING', 'the start of the run');
  const rateWith = async (count: number): Promise<number> => {
    const followers = await Promise.all(Array.from({ length: count }, () => follow(server.url, runId)));
    // Each follower reads by itself what was there before it came.
    await delay(3000);
    const before = reads.count;
    await delay(seconds * 5000);
    const rate = (reads.count - before) / (seconds * 5);
    const bytes = followers.map((follower) => follower.stop());
    if (bytes.some((received) => received === 0)) throw new Error('A follower has received nothing');
    return rate;
  };
  const rates: { one: number; many: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    rates.push({ one: await rateWith(1), many: await rateWith(FOLLOWERS) });
  }
  await server.call(`/v2/actor-runs/${runId}/abort`, { method: 'POST' });
  await server.stop();
  const ratio = median(rates.map(({ one, many }) => many / one));
  return {
    what: `reads of ${FOLLOWERS} followers of a live log`,
    value: `${median(rates.map(({ many }) => many)).toFixed(1)} reads of database and blobs per second`,
    ratio,
    against: `one follower, ${median(rates.map(({ one }) => one)).toFixed(1)}/s`,
    target: 'the same',
    isMet: ratio <= MOST,
  };
}

/** Reads the stream until it is stopped; `stop` returns how many bytes came. */
async function follow(url: string, id: string): Promise<{ stop(): number }> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v2/logs/${id}?stream=1`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    signal: leaving.signal,
  });
  let bytes = 0;
  const reading = (async () => {
    for await (const piece of response.body as AsyncIterable<Uint8Array>) bytes += piece.length;
  })();
  // It ends when it is stopped.
  reading.catch(() => {});
  return {
    stop() {
      leaving.abort();
      return bytes;
    },
  };
}

/** Counts the statements that read, and the blobs that are opened, from now on. */
function countReads({ engine, blobs }: Kernel): { readonly count: number } {
  let count = 0;
  const watch = <Executor extends QueryExecutor>(executor: Executor): Executor => {
    const executeQuery = executor.executeQuery.bind(executor);
    const withConnectionProvider = executor.withConnectionProvider.bind(executor);
    executor.executeQuery = (query) => {
      if (/^select/i.test(query.sql)) count += 1;
      return executeQuery(query);
    };
    // Each transaction has an executor of its own.
    executor.withConnectionProvider = (provider) => watch(withConnectionProvider(provider));
    return executor;
  };
  watch(engine.db.getExecutor());
  const get = blobs.get.bind(blobs);
  blobs.get = (...request) => {
    count += 1;
    return get(...request);
  };
  return {
    get count() {
      return count;
    },
  };
}
