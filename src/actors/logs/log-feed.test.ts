import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually, inTime } from '../../../test/eventually.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { LogFollower } from './log-feed.ts';
import { openLogWriter } from './log-writer.ts';
import { endLog } from './store.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let kernel: Kernel;
  before(async () => {
    server = await startServerOn(engine);
    ({ kernel } = server.app);
  });
  after(() => server.stop());

  async function startRun() {
    const id = await insertRunRow(kernel, { userId: 'someone' });
    return {
      id,
      writer: await openLogWriter(kernel, { id, folder: join(kernel.settings.execution.work, id) }),
    };
  }

  /** Statements that read logs while the work is done. */
  async function countReads(work: () => Promise<void>): Promise<number> {
    const executor = kernel.db.getExecutor();
    const { executeQuery } = executor;
    let count = 0;
    executor.executeQuery = (query) => {
      if (/^select .* from "log/.test(query.sql)) count += 1;
      return executeQuery.call(executor, query) as never;
    };
    await work();
    executor.executeQuery = executeQuery;
    return count;
  }

  test('50 followers cause the same reads as one', async () => {
    const LINES = 8;
    const readsOf = async (count: number) => {
      const { id, writer } = await startRun();
      const readers = Array.from(
        { length: count },
        () => new Reader(kernel.services.logFeed.follow(kernel, id, 'someone')),
      );
      const reads = await countReads(async () => {
        for (let line = 0; line < LINES; line += 1) {
          writer.write(`line ${line}`);
          await eventually(() => readers.every(({ text }) => text.endsWith(`line ${line}\n`)));
        }
      });
      await writer.end();
      await Promise.all(readers.map(({ ended }) => inTime(ended)));
      assert.equal(new Set(readers.map(({ text }) => text)).size, 1);
      return reads;
    };
    const one = await readsOf(1);
    const fifty = await readsOf(50);
    // Polls come in between; without sharing there would be fifty times as many.
    assert.ok(one >= LINES && fifty < 5 * one, `${one} and ${fifty} reads`);
  });

  test('a follower that is far behind gets everything at its own pace', async () => {
    const { id, writer } = await startRun();
    const slow = kernel.services.logFeed.follow(kernel, id, 'someone');
    const quick = new Reader(kernel.services.logFeed.follow(kernel, id, 'someone'));
    const line = `${'x'.repeat(999)}\n`;
    for (let megabytes = 1; megabytes <= 4; megabytes += 1) {
      await appendFile(writer.file, line.repeat(1000));
      await eventually(() => quick.text.split('\n').length === megabytes * 1000 + 1);
    }
    await writer.end();
    await inTime(quick.ended);
    const late = new Reader(slow);
    await inTime(late.ended);
    assert.ok(late.text === quick.text);
    assert.equal(kernel.services.logFeed.size, 0);
  });

  test('a log that is ended without a writer ends for its followers', async () => {
    const id = await insertRunRow(kernel, { userId: 'someone' });
    const reader = new Reader(kernel.services.logFeed.follow(kernel, id, 'someone'));
    await kernel.db.transaction().execute((tx) => endLog(tx, id));
    await inTime(reader.ended);
    assert.equal(reader.text, '');
  });

  test('a follower of a log that is deleted, or was never there, ends', async () => {
    await inTime(new Reader(kernel.services.logFeed.follow(kernel, 'none', 'someone')).ended);
  });

  test('a follower can be closed while it waits', async () => {
    const { id, writer } = await startRun();
    const follower = kernel.services.logFeed.follow(kernel, id, 'someone');
    const next = follower.next();
    follower.close();
    assert.equal(await inTime(next), undefined);
    assert.equal(kernel.services.logFeed.size, 0);
    await writer.end();
  });
});

test('a stopping server breaks live streams off at once', async () => {
  const server = await startServer();
  const { kernel } = server.app;
  const { json } = await server.call('/v2/users/me');
  const id = await insertRunRow(kernel, { userId: json['data'].id as string });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const request = get(`${server.url}/v2/logs/${id}?stream=1`, { headers, agent: false });
  const [response] = (await inTime(once(request, 'response'))) as [IncomingMessage];
  const broken = assert.rejects(once(response.resume(), 'end'), { code: 'ECONNRESET' });
  await inTime(server.stop());
  await inTime(broken);
  assert.deepEqual(
    server.log.filter(({ level }) => (level as number) > 40),
    [],
  );
});

/** Reads to the end. */
class Reader {
  text = '';
  readonly ended: Promise<void>;

  constructor(follower: LogFollower) {
    this.ended = this.#read(follower);
  }

  async #read(follower: LogFollower): Promise<void> {
    for (let piece = await follower.next(); piece !== undefined; piece = await follower.next())
      this.text += Buffer.from(piece.content).toString();
  }
}
