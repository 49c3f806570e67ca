// The server as a process: what it says, what it leaves behind, and how it ends.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder, run, start, startServer, statusOf } from './fixture.ts';
import type { Run } from './run-file.ts';

const readNote = (data: string) => JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as Run;

describe('starting', () => {
  test('the first start shows a token that works on all APIs, the second shows none', async () => {
    const data = join(makeFolder(), 'data');
    const first = await startServer(data);
    assert.match(first.banner, /shown this once: keep it/);
    const calls = [...first.banner.matchAll(/curl -H "(Authorization): ([^"]+)" (\S+)/g)];
    assert.equal(calls.length, 3);
    for (const [, name, value, url] of calls) {
      const response = await fetch(url!, { headers: { [name!]: value! } });
      assert.equal(response.status, 200, url);
      await response.arrayBuffer();
    }
    first.kill('SIGTERM');
    await first.ended;

    const second = await startServer(data);
    assert.equal(second.token, undefined);
    assert.match(second.banner, /curl -H "Authorization: Bearer \$SIGNALBOX_TOKEN"/);
    assert.doesNotMatch(second.banner, /api-/);
    assert.equal(await statusOf(second.url, first.token!), 200);
  });

  test("the operator's own token is taken and never shown", async () => {
    const token = 'a-token-of-the-operator';
    const { url, banner } = await startServer(makeFolder(), [], { SIGNALBOX_ADMIN_TOKEN: token });
    assert.doesNotMatch(banner, new RegExp(token));
    assert.equal(await statusOf(url, token), 200);
  });

  test('the login link of the banner logs in once', async () => {
    const { url, banner } = await startServer(makeFolder());
    const [, link] = /\/session\/(\S+)/.exec(banner)!;
    const logIn = () =>
      fetch(`${url}/session`, {
        method: 'POST',
        body: new URLSearchParams({ link: link! }),
        redirect: 'manual',
      });
    assert.equal((await logIn()).status, 303);
    assert.equal((await logIn()).status, 401);
  });

  test('the data folder is made for its owner alone, with a note of the running server', async () => {
    const data = join(makeFolder(), 'new', 'data');
    const server = await startServer(data);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    const { pid, url, startedAt } = readNote(data);
    assert.deepEqual([pid, url], [server.pid, server.url]);
    assert.ok(Math.abs(Date.parse(startedAt) - Date.now()) < 60_000);
    server.kill('SIGTERM');
    await server.ended;
    assert.equal(existsSync(join(data, 'run.json')), false);
  });

  test('a worker says that it answers no API calls', async () => {
    const { banner } = await startServer(makeFolder(), ['--role', 'worker']);
    assert.match(banner, /worker: does waiting work/);
    assert.doesNotMatch(banner, /curl|\/session\//);
  });
});

describe('what keeps it from starting is one sentence', () => {
  const fails = async (argv: string[], sentence: RegExp, env = {}) => {
    const { code, out, err } = await start(['serve', ...argv], env).ended;
    assert.equal(code, 1);
    assert.match(err, sentence);
    assert.equal(err.trimEnd().split('\n').length, 1);
    return out;
  };

  test('a port that another program uses', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const sentence = new RegExp(
      `^Port ${port} on 127\\.0\\.0\\.1 is used by another program\\. Stop that one`,
    );
    const data = makeFolder();
    const out = await fails(['--data', data, '--port', String(port)], sentence);
    assert.match(out, /^The administrator's token, shown this once: api-\S+\n$/);
    assert.equal(await fails(['--data', data, '--port', String(port)], sentence), '');
  });

  test('a port that another Signalbox uses', async () => {
    const { url } = await startServer(makeFolder());
    await fails(['--data', makeFolder(), '--port', new URL(url).port], /is used by another Signalbox\./);
  });

  test('a data folder that cannot be made', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    await fails(['--data', join(file, 'data')], /^The data folder .*data cannot be made \(.*Choose another/);
  });

  test('a database that is not one', async () => {
    const data = makeFolder();
    writeFileSync(join(data, 'signalbox.db'), 'x'.repeat(5000));
    await fails(['--data', data], /^Cannot open the database .*: it is not a SQLite database/);
  });

  test('a database that a newer program has changed', async () => {
    const data = makeFolder();
    const server = await startServer(data);
    server.kill('SIGTERM');
    await server.ended;
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(join(data, 'signalbox.db'));
    db.exec(`insert into migrations (name, applied_at) values ('of-tomorrow', 1)`);
    db.close();

    const sentence =
      /^The database is newer than this program, which does not know of-tomorrow: update the program\.$/;
    await fails(['--data', data, '--port', '0'], /does not know of-tomorrow/);
    const { code, err } = await run(['token', 'ls', '--data', data]);
    assert.equal(code, 1);
    assert.match(err, sentence);

    const status = await run(['migrate', 'status', '--data', data]);
    assert.equal(status.code, 0);
    assert.deepEqual((JSON.parse(status.out) as { unknown: string[] }).unknown, ['of-tomorrow']);
    const doctor = await run(['doctor', '--no-json', '--data', data]);
    assert.equal(doctor.code, 1);
    assert.match(doctor.out, /^fail {2}migrations .*does not know of-tomorrow/m);
  });
});

describe('stopping', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} stops it in good order`, async () => {
      const server = await startServer(makeFolder());
      const begun = performance.now();
      server.kill(signal);
      const { code, out, err } = await server.ended;
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, new RegExp(`"signal":"${signal}","msg":"stopping`));
      assert.match(out, /"msg":"stopped"/);
      assert.ok(performance.now() - begun < 5000);
    });
  }

  test('a second signal does not wait for a call under way', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const server = await startServer(makeFolder());
      const { promise: isHeld, resolve } = Promise.withResolvers<void>();
      // A body that never ends keeps the call under way.
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(' '));
          resolve();
          return new Promise(() => {});
        },
      });
      const held = fetch(`${server.url}/v2/users/me`, { method: 'PUT', body, duplex: 'half' });
      held.catch(() => {});
      await isHeld;
      await fetch(`${server.url}/healthz`).then((response) => response.arrayBuffer());
      server.kill(signal);
      await server.say('stopping');
      server.kill(signal);
      assert.equal((await server.ended).code, code);
    }
  });

  test('SIGUSR2 turns debug logging on and off', async () => {
    const server = await startServer(makeFolder());
    process.kill(server.pid, 'SIGUSR2');
    await server.say('"level":"debug"');
    process.kill(server.pid, 'SIGUSR2');
    await server.say('"level":"info"');
  });
});
