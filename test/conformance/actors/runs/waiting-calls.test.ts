// Calls that stay open: they end with their caller, do not hold up others, and nobody has more than so many.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MAX_FOLLOWED } from '../../../../src/actors/logs/log-feed.ts';
import type { Kernel } from '../../../../src/kernel/kernel.ts';
import { eventually, inTime } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { insertBuildRow, insertRunRow } from '../../../run-rows.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../server.ts';

let server: TestServer;
let kernel: Kernel;
let userId: string;
before(async () => {
  server = await startServer({ limits: 'off', role: 'api' });
  ({ kernel } = server.app);
  userId = (await server.call('/v2/users/me')).json['data'].id as string;
});
after(() => server.stop());

test('a wait for the end is over soon, however often others begin to wait', async () => {
  const { finishWaits } = kernel.services;
  // It is gone already, which the next look shows.
  const over = finishWaits.wait('run', 'deleted', 600_000);
  let others: NodeJS.Immediate;
  const begin = () => {
    finishWaits.notice('run');
    others = setImmediate(begin);
  };
  begin();
  try {
    await inTime(over, 'the end of the wait');
  } finally {
    clearImmediate(others!);
  }
});

test('a caller who goes away waits no longer', async () => {
  const { finishWaits } = kernel.services;
  const run = await insertRunRow(kernel, { userId });
  const build = await insertBuildRow(kernel, { userId });
  for (const path of [`/v2/actor-runs/${run}`, `/v2/actor-builds/${build}`]) {
    const leaving = new AbortController();
    const waiting = fetch(`${server.url}${path}?waitForFinish=60`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      signal: leaving.signal,
    });
    await eventually(() => finishWaits.size === 1, `the wait of ${path}`);
    const begun = kernel.clock.now();
    leaving.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await eventually(() => finishWaits.size === 0, `the end of ${path}`);
    assert.ok(kernel.clock.now() - begun < 60_000, 'long before the time is over');
  }
});

test('one member follows only so many logs at once, and others are not affected', async () => {
  const { logFeed } = kernel.services;
  const id = await insertRunRow(kernel, { userId });
  const ben = await join(server, 'ben', { role: 'writer' });
  const { value: token } = await giveToken(server, ben, { role: 'writer' });
  const own = await insertRunRow(kernel, { userId: ben.id });
  const followers = Array.from({ length: MAX_FOLLOWED }, () => logFeed.follow(kernel, id, userId));
  const leaving = new AbortController();
  const open = (log: string, bearer: string) =>
    fetch(`${server.url}/v2/logs/${log}?stream=1`, {
      headers: { authorization: `Bearer ${bearer}` },
      signal: leaving.signal,
    });
  const refused = await open(id, ADMIN_TOKEN);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
  assert.match(await refused.text(), /no more than \d+ logs at once/);
  assert.equal((await server.call(`/v2/logs/${id}`)).status, 200, 'what is stored can be read');
  assert.equal((await open(own, token)).status, 200);
  followers.pop()!.close();
  assert.equal((await open(id, ADMIN_TOKEN)).status, 200, 'one that has ended makes room');
  leaving.abort();
  for (const follower of followers) follower.close();
  await eventually(() => logFeed.size === 0, 'the end of all streams');
});
