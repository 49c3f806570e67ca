// Logs of builds and runs over HTTP: stored and live, from any node. Rule A7.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApifyClient } from 'apify-client';
import { type LogWriter, openLogWriter } from '../../../../src/actors/logs/log-writer.ts';
import { LOG_BYTES } from '../../../../src/actors/logs/model.ts';
import type { Kernel } from '../../../../src/kernel/kernel.ts';
import { atEndOfFile } from '../../../cleanup.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually, inTime } from '../../../eventually.ts';
import { giveToken, join as joinServer } from '../../../people.ts';
import { insertBuildRow, insertRunRow } from '../../../run-rows.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../server.ts';

const LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

onEachEngine((engine) => {
  let server: TestServer;
  /** A second node, where the engine supports it. */
  let other: TestServer | undefined;
  let kernel: Kernel;
  let userId: string;
  before(async () => {
    if (engine.kind === 'sqlite') server = await startServer({ limits: 'off' });
    else {
      const database = await engine.migratedDatabase();
      const blobs = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
      server = await startServer({ database, blobs, limits: 'off' });
      other = await startServer({ database, blobs, limits: 'off' });
      atEndOfFile(() => rmSync(blobs, { recursive: true, force: true }));
    }
    ({ kernel } = server.app);
    userId = (await server.call('/v2/users/me')).json['data'].id as string;
  });
  after(async () => {
    await other?.stop();
    await server.stop();
  });

  async function startRun(): Promise<{ id: string; writer: LogWriter }> {
    const id = await insertRunRow(kernel, { userId });
    return { id, writer: await openWriter(id) };
  }

  function openWriter(id: string): Promise<LogWriter> {
    return openLogWriter(kernel, { id, folder: join(kernel.settings.execution.work, 'runs', id) });
  }

  const withoutTimes = (text: string) => text.replaceAll(/^\S{24} /gm, '');
  const stored = async (id: string, query = '') => (await server.call(`/v2/logs/${id}${query}`)).text;

  async function openStream(id: string, { url }: TestServer = server): Promise<LogStream> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const request = get(`${url}/v2/logs/${id}?stream=1&raw=1`, { headers, agent: false });
    const [response] = (await inTime(once(request, 'response'), 'the head of a reply')) as [IncomingMessage];
    return new LogStream(response);
  }

  test('A7 the log of a run is text with the time of each line, while it runs and afterwards', async () => {
    const { id, writer } = await startRun();
    writer.write('ACTOR: Starting');
    await appendFile(writer.file, 'one\ntwo');
    await eventually(async () => (await stored(id)) !== '');
    await eventually(async () => withoutTimes(await stored(id)) === 'ACTOR: Starting\none\n');
    await writer.end();
    const { status, headers, text } = await server.call(`/v2/logs/${id}`);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(withoutTimes(text), 'ACTOR: Starting\none\ntwo\n');
    assert.ok(
      text
        .split('\n')
        .slice(0, -1)
        .every((line) => LINE.test(line)),
    );
  });

  test('A7 the log of a build is there by the id of the build', async () => {
    const id = await insertBuildRow(kernel, { userId });
    const writer = await openWriter(id);
    writer.write('built');
    await writer.end();
    assert.equal(withoutTimes(await stored(id)), 'built\n');
  });

  test('A7 stream=1 waits for the first line, follows the log, and ends with it', async () => {
    const { id, writer } = await startRun();
    const stream = await openStream(id);
    assert.equal(stream.text, '');
    await appendFile(writer.file, 'first\n');
    await stream.until('first\n');
    assert.ok(!stream.isEnded);
    await appendFile(writer.file, 'second\nlast');
    await stream.until('second\n');
    await writer.end();
    await stream.end();
    assert.equal(withoutTimes(stream.text), 'first\nsecond\nlast\n');
    assert.equal(stream.text, await stored(id));
  });

  test('A7 stream=1 of a finished log is the log', async () => {
    const { id, writer } = await startRun();
    writer.write('all there is');
    await writer.end();
    const stream = await openStream(id);
    await stream.end();
    assert.equal(withoutTimes(stream.text), 'all there is\n');
  });

  test('a stream breaks off on every node when its token or member ends, or may not read any more', async () => {
    const endings: Record<string, (who: { memberId: string; tokenId: string }) => Promise<unknown>> = {
      'the token is deleted': ({ tokenId }) => server.call(`/api/v2/tokens/${tokenId}`, { method: 'DELETE' }),
      'the member is deleted': ({ memberId }) =>
        server.call(`/api/v2/members/${memberId}`, { method: 'DELETE' }),
      'the member has no access': ({ memberId }) =>
        server.call(`/api/v2/members/${memberId}`, {
          method: 'PATCH',
          body: [{ op: 'replace', path: '/role', value: 'no_access' }],
        }),
      'the token expires': async () => {
        for (const node of [server, other]) if (node !== undefined) node.clock.ahead += 120_000;
      },
    };
    const streams = await Promise.all(
      Object.entries(endings).map(async ([name, end], index) => {
        const member = await joinServer(server, `watcher-${index}`, { role: 'writer' });
        const expiresAt = name === 'the token expires' ? { expiresAt: kernel.clock.now() + 60_000 } : {};
        const { id: tokenId, value } = await giveToken(server, member, { role: 'writer', ...expiresAt });
        const id = await insertRunRow(kernel, { userId: member.id });
        const headers = { authorization: `Bearer ${value}` };
        const url = `${(other ?? server).url}/v2/logs/${id}?stream=1`;
        const [response] = (await inTime(once(get(url, { headers, agent: false }), 'response'), name)) as [
          IncomingMessage,
        ];
        assert.equal(response.statusCode, 200, name);
        response.on('error', () => {}).resume();
        return { name, end, response, who: { memberId: member.id, tokenId } };
      }),
    );
    const honest = await startRun();
    const kept = await openStream(honest.id, other);
    for (const { name, end, response, who } of streams) {
      const closed = new Promise((resolve) => response.once('close', resolve));
      await end(who);
      await inTime(closed, name);
      assert.equal(response.complete, false, name);
    }
    honest.writer.write('still here');
    await kept.until('still here');
    await honest.writer.end();
    await kept.end();
  });

  if (engine.kind === 'postgres') {
    test('A7 a stream can be read from another node', async () => {
      const { id, writer } = await startRun();
      writer.write('before');
      const stream = await openStream(id, other);
      await stream.until('before\n');
      writer.write('after');
      await stream.until('after\n');
      await writer.end();
      await stream.end();
      assert.equal(withoutTimes(stream.text), 'before\nafter\n');
      assert.equal((await other!.call(`/v2/logs/${id}`)).text, await stored(id));
    });

    test('A7 a log that goes on on another node is followed there', async () => {
      const { id, writer } = await startRun();
      const stream = await openStream(id);
      writer.write('here');
      await writer.close();
      const { kernel: there } = other!.app;
      const next = await openLogWriter(there, {
        id,
        folder: join(there.settings.execution.work, 'runs', id),
      });
      next.write('there');
      await next.end();
      await stream.end();
      assert.equal(withoutTimes(stream.text), 'here\nthere\n');
    });
  }

  test('a client that goes away frees everything', async () => {
    const { id, writer } = await startRun();
    const { logFeed } = kernel.services;
    await eventually(() => logFeed.size === 0, 'the end of other streams');
    const streams = await Promise.all(Array.from({ length: 3 }, () => openStream(id)));
    assert.equal(logFeed.size, 1);
    for (const stream of streams) stream.leave();
    await eventually(() => logFeed.size === 0, 'the end of the streams');
    await writer.end();
  });

  test('A7 ANSI escape sequences are removed, unless raw is set', async () => {
    const { id, writer } = await startRun();
    await appendFile(writer.file, '\x1b[32mINFO\x1b[39m done\n\x1b]0;title\x07x\n');
    await writer.end();
    assert.equal(withoutTimes(await stored(id)), 'INFO done\nx\n');
    assert.equal(withoutTimes(await stored(id, '?raw=1')), '\x1b[32mINFO\x1b[39m done\n\x1b]0;title\x07x\n');
    assert.equal(withoutTimes(await stored(id, '?raw=0')), 'INFO done\nx\n');
  });

  test('A7 download=1 is an attachment; a browser never runs what a program prints', async () => {
    const { id, writer } = await startRun();
    await appendFile(writer.file, '<script>alert(1)</script>\n');
    await writer.end();
    const shown = await server.call(`/v2/logs/${id}`);
    assert.equal(shown.headers.get('content-disposition'), null);
    assert.equal(shown.headers.get('content-security-policy'), 'sandbox allow-scripts');
    assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
    const saved = await server.call(`/v2/logs/${id}?download=1`);
    assert.equal(saved.headers.get('content-disposition'), `attachment; filename="${id}.log"`);
    assert.equal(saved.text, shown.text);
  });

  test('A7 HEAD answers with the headers alone, also for a log that grows', async () => {
    const { id, writer } = await startRun();
    writer.write('a line');
    for (const query of ['', '?stream=1', '?download=1']) {
      const { status, headers, text } = await server.call(`/v2/logs/${id}${query}`, { method: 'HEAD' });
      assert.deepEqual([status, text], [200, '']);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    }
    await writer.end();
  });

  test('A7 of a log that is too long the middle is cut out, and a line says how much', async () => {
    const { id, writer } = await startRun();
    const megabyte = `${'x'.repeat(1023)}\n`.repeat(1024);
    for (let written = 0; written < 12; written += 1) await appendFile(writer.file, megabyte);
    writer.write('the end');
    await writer.end();
    const text = await stored(id);
    assert.ok(text.length <= LOG_BYTES);
    assert.ok(
      text
        .split('\n')
        .slice(0, -1)
        .every((line) => LINE.test(line)),
    );
    assert.equal(text.match(/^\S{24} ACTOR: \d+ bytes of the log are left out here, /gm)?.length, 1);
    assert.match(text, /Z the end\n$/);
    const stream = await openStream(id);
    await stream.end();
    assert.equal(stream.text, text);
  });

  test('A7 logs of others, and of nothing, are not found', async () => {
    const { id, writer } = await startRun();
    await writer.end();
    const stranger = await joinServer(server, `stranger-${id}`, { role: 'owner' });
    const { value: token } = await giveToken(server, stranger, {});
    for (const [path, init] of [
      [`/v2/logs/${id}`, { token }],
      [`/v2/logs/${id}?stream=1`, { token }],
      ['/v2/logs/none', {}],
    ] as const) {
      const { status, json } = await server.call(path, init);
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found'], path);
    }
    assert.equal((await server.call(`/v2/logs/${id}`, { token: null })).status, 401);
    assert.equal((await server.call(`/v2/logs/${id}?stream=maybe`)).json['error'].type, 'invalid-input');
  });

  test('A7 the platform client gets and streams a log', async () => {
    const client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN });
    const { id, writer } = await startRun();
    const stream = (await client.log(id).stream())!;
    let streamed = '';
    stream.on('data', (data: Buffer) => (streamed += data.toString()));
    writer.write('a line');
    await eventually(() => streamed.includes('a line\n'));
    const ended = once(stream, 'end');
    await writer.end();
    await inTime(ended, 'the end of the stream');
    assert.equal(await client.log(id).get(), streamed);
    assert.equal(await client.log('none').get(), undefined);
  });
});

/** A live log as a client receives it. */
class LogStream {
  text = '';
  isEnded = false;
  readonly #response: IncomingMessage;
  readonly #ended: Promise<unknown>;

  constructor(response: IncomingMessage) {
    this.#response = response;
    assert.equal(response.statusCode, 200);
    response.setEncoding('utf8').on('data', (data: string) => (this.text += data));
    this.#ended = once(response, 'end').then(() => (this.isEnded = true));
  }

  until(text: string): Promise<void> {
    return eventually(() => this.text.includes(text), `"${text}" in a stream`);
  }

  async end(): Promise<void> {
    await inTime(this.#ended, 'the end of a stream');
  }

  leave(): void {
    this.#ended.catch(() => {});
    this.#response.destroy();
  }
}
