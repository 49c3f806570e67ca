// Compressed payloads that are sent together are not inflated together.
import assert from 'node:assert/strict';
import { setInterval } from 'node:timers/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startServer } from '../../../server.ts';
import { openEventProject, SDK, summaryOf } from './calls.ts';

const MB = 1024 * 1024;
const PAYLOADS = 40;
/** With garbage. Inflated, all of them together would take twice as much. */
const MOST_BYTES = 250 * MB;

for (const limits of ['on', 'off'] as const) {
  test(`${PAYLOADS} payloads that inflate to 10 MB each take little memory, with limits ${limits}`, async (t) => {
    const server = await startServer({ limits, logLevel: 'warn' });
    t.after(() => server.stop());
    const { home } = await openEventProject(server);
    const { events } = await openEventProject(server);
    const body = gzipSync(`[${' '.repeat(10 * MB - 2)}]`);
    const before = process.memoryUsage().external;
    let highest = 0;
    const watching = new AbortController();
    const watch = async () => {
      for await (const _ of setInterval(20, undefined, { signal: watching.signal }))
        highest = Math.max(highest, process.memoryUsage().external - before);
    };
    const watched = watch().catch(() => {});
    const headers = { 'content-encoding': 'gzip' };
    const sending = Promise.all(
      Array.from({ length: PAYLOADS }, () =>
        home.ask('/bulk', home.keys.sdk, headers, { method: 'POST', body }),
      ),
    );
    const other = await events.send([summaryOf({ shown: { variation: 0 } })], { isPacked: true });
    const statuses = new Set((await sending).map(({ status }) => status));
    watching.abort();
    await watched;
    assert.equal(other.status, 202, 'another environment');
    assert.deepEqual(await events.counted(), { [`shown 0 1 ${SDK}`]: 1 });
    assert.ok(
      [...statuses].every((status) => status === 202 || status === 429),
      [...statuses].join(),
    );
    if (limits === 'on') assert.ok(statuses.has(429), 'most are refused');
    assert.ok(highest > 0 && highest < MOST_BYTES, `${Math.round(highest / MB)} MB`);
  });
}
