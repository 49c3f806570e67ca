// The server as a process: its output, its files, and how it ends.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { migratedFile } from '../../test/templates.ts';
import {
  makeFolder,
  run,
  start,
  startServer,
  statusOf,
  whenListening,
  type Banner,
  type ProcessResult,
  type ServerProcess,
} from './fixture.ts';
import type { RunFile } from './running-server.ts';

const readNote = (data: string) => JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as RunFile;

describe('starting', () => {
  test('in a pipe there is nothing but JSON lines, of which the first start has one with a token; the data folder is made for its owner alone, with a note of the running server, and SIGTERM stops it in good order', async () => {
    const data = join(makeFolder(), 'new', 'data');
    const argv = ['serve', '--port', '0', '--data', data, '--log-level', 'silent'];
    const first = await whenListening(start(argv, { SIGNALBOX_STARTED_AS: 'npx signalbox' }));
    const { url, publicUrl, apis, docs, login, pid, msg } = first.banner;
    assert.deepEqual([url, first.banner.data, pid, msg], [publicUrl, data, first.pid, 'listening']);
    assert.match(first.banner.actors, /^(Each run has|Runs have) .+\.$/);
    assert.deepEqual(apis, {
      flags: `${url}/api/v2`,
      actors: `${url}/v2`,
      host: url,
      signalbox: `${url}/signalbox/v1`,
    });
    assert.deepEqual([docs, login], [`${url}/docs`, 'npx signalbox status --login']);
    for (const path of ['/api/v2/caller-identity', '/v2/users/me', '/user', '/signalbox/v1/me']) {
      const headers = { authorization: `Bearer ${first.token}` };
      const response = await fetch(url + path, { headers });
      assert.equal(response.status, 200, path);
      await response.arrayBuffer();
    }
    assert.equal(statSync(data).mode & 0o777, 0o700);
    const note = readNote(data);
    assert.deepEqual([note.pid, note.url], [pid, url]);
    assert.ok(Math.abs(Date.parse(note.startedAt) - Date.now()) < 60_000);
    first.kill('SIGTERM');
    const ended = await first.ended;
    assert.equal(ended.err, '');
    assert.equal(existsSync(join(data, 'run.json')), false);
    assert.equal(ended.out.split(first.token!).length, 2, 'it stands there once');
    assert.doesNotMatch(ended.out, /\/session\//);

    const second = await startServer(data);
    assert.equal(second.token, undefined);
    assert.equal(await statusOf(second.url, first.token!), 200);
    const out = await stopsInGoodOrder(second, 'SIGTERM');
    for (const line of out.trim().split('\n')) JSON.parse(line);
  });

  test("the operator's own token is taken and never shown, and SIGINT stops the server in good order", async () => {
    const token = 'a-token-of-the-operator';
    const server = await startServer(makeFolder(), [], { SIGNALBOX_ADMIN_TOKEN: token });
    assert.equal(server.banner.token, undefined);
    assert.equal(await statusOf(server.url, token), 200);
    assert.doesNotMatch(await stopsInGoodOrder(server, 'SIGINT'), new RegExp(token));
  });

  test('a terminal gets text with calls to try, a login link that works once, and times', async () => {
    const program = join(makeFolder(), 'terminal.mjs');
    writeFileSync(
      program,
      `import { processIo } from ${JSON.stringify(new URL('./io.ts', import.meta.url).href)};
      import { runCli } from ${JSON.stringify(new URL('./program.ts', import.meta.url).href)};
      process.exitCode = await runCli(process.argv.slice(2), { ...processIo(), isTerminal: true });`,
    );
    const argv = ['serve', '--port', '0', '--data', makeFolder()];
    const server = start(argv, { NO_COLOR: '1' }, program);
    const banner = await server.say('ready in ');
    const [, url] = /listens on (\S+)/.exec(banner)!;
    assert.match(banner, /^ {2}Token {10}api-\w+\n.*shown this once: keep it$/m);
    const calls = [...banner.matchAll(/curl -H "(Authorization): ([^"]+)" (\S+)/g)];
    assert.equal(calls.length, 4);
    for (const [, name, value, place] of calls) {
      const response = await fetch(place!, { headers: { [name!]: value! } });
      assert.equal(response.status, 200, place);
      await response.arrayBuffer();
    }
    const [, link] = /\/session\/(\S+) \(works once, for 15 minutes\)/.exec(banner)!;
    const body = new URLSearchParams({ link: link! });
    const logIn = () => fetch(`${url}/session`, { method: 'POST', body, redirect: 'manual' });
    assert.equal((await logIn()).status, 200);
    assert.equal((await logIn()).status, 401);
    server.kill('SIGTERM');
    assert.match((await server.ended).out, /^\[\d\d:\d\d:\d\d\] INFO: stopping/m);
  });

  test('a second server on a SQLite folder waits until the first is gone; commands do not', async () => {
    const data = makeFolder();
    const first = await startServer(data);
    assert.equal((await run(['token', 'ls', '--data', data])).code, 0);
    const second = start(['serve', '--port', '0', '--data', data]);
    await second.say(`"holder":{"pid":${first.pid},`);
    first.kill('SIGKILL');
    await second.say('"msg":"listening"');
  });

  test('files are for their owner alone, also in a folder that others may enter', async () => {
    const data = makeFolder();
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'mine.txt'), '', { mode: 0o644 });
    mkdirSync(join(data, 'blobs'), { mode: 0o755 });
    writeFileSync(join(data, 'signalbox.db'), '', { mode: 0o644 });
    const { url, token } = await startServer(data);
    const headers = { authorization: `Bearer ${token}` };
    const made = await fetch(`${url}/v2/key-value-stores?name=files`, { method: 'POST', headers });
    assert.equal(made.status, 201);
    const body = 'x'.repeat(1_000_000);
    const put = `${url}/v2/key-value-stores/admin~files/records/large`;
    assert.equal((await fetch(put, { method: 'PUT', headers, body })).status, 201);
    const modes = readdirSync(data, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(data, path), entry.isDirectory(), statSync(path).mode & 0o777] as const;
    });
    for (const name of ['signalbox.db-wal', 'signalbox.db-shm', 'run.json', 'lock']) {
      assert.ok(
        modes.some(([path]) => path === name),
        name,
      );
    }
    assert.ok(modes.filter(([path]) => path.startsWith('blobs/')).length >= 3, 'a blob in its folder');
    for (const [path, isFolder, mode] of modes) {
      assert.equal(mode, path === 'mine.txt' ? 0o644 : isFolder ? 0o700 : 0o600, path);
    }
    assert.equal(statSync(data).mode & 0o777, 0o755, "the folder itself is its owner's to change");
  });

  test('a worker says that it answers no API calls', async () => {
    const { banner } = await startServer(makeFolder(), ['--role', 'worker']);
    assert.deepEqual([banner.role, banner.apis, banner.docs, banner.login], ['worker', ...Array(3)]);
  });
});

describe('without a port', () => {
  test('the next free one is taken where the usual one is used, and that is said', async (t) => {
    const other = createServer().listen(8080, '127.0.0.1');
    t.after(() => other.close());
    // If another program uses the port already, the test works as well.
    await once(other, 'listening').catch(() => {});
    const server = start(['serve', '--data', makeFolder()]);
    await server.say('"msg":"listening"}\n');
    const out = await server.say(' is used instead."}\n');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Banner);
    const { url } = lines.find(({ msg }) => msg === 'listening')!;
    const port = Number(new URL(url).port);
    assert.ok(port > 8080);
    const said = lines.find(({ msg }) => msg !== 'listening')!.msg;
    assert.match(said, /^Port 8080 on 127\.0\.0\.1 is used by .+\. Port \d+ is used instead\.$/);
    assert.ok(said.includes(`Port ${port} is used instead`));
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
  });
});

describe('what keeps it from starting is one sentence', () => {
  const fails = async (ended: Promise<ProcessResult>, sentence: RegExp) => {
    const { code, out, err } = await ended;
    assert.equal(code, 1);
    assert.match(err, sentence);
    assert.equal(err.trimEnd().split('\n').length, 1);
    return out;
  };
  /** In this process, for what comes before the server answers signals. */
  const serve = (data: string) => run(['serve', '--port', '0', '--data', data]);

  test('a port that another program or another Signalbox uses', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const who = process.platform === 'linux' ? `node \\(process ${process.pid}\\)` : 'another program';
    const sentence = new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is used by ${who}\\. Stop that one`);
    const data = makeFolder();
    const startOn = (folder: string, at: string) => ['serve', '--data', folder, '--port', at];
    assert.equal(await fails(start(startOn(data, String(port))).ended, sentence), '');
    const { url, token } = await startServer(data);
    assert.equal(await statusOf(url, token!), 200, 'the first start that listens shows the token');
    const second = start(startOn(makeFolder(), new URL(url).port));
    await fails(second.ended, /is used by another Signalbox( \(process \d+\))?\./);
  });

  test('a data folder that cannot be made', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'data'), ...(existsSync('/proc') ? ['/proc/signalbox/data'] : [])]) {
      await fails(serve(data), /^The data folder .* cannot be made \(.*Choose another/);
    }
  });

  test('a database that is not one', async () => {
    const data = makeFolder();
    writeFileSync(join(data, 'signalbox.db'), 'x'.repeat(5000));
    await fails(serve(data), /^Cannot open the database .*: it is not a SQLite database/);
  });

  test('a database that a newer program has changed', async () => {
    const data = makeFolder();
    writeFileSync(join(data, 'signalbox.db'), await migratedFile());
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(join(data, 'signalbox.db'));
    db.exec(
      `insert into migrations (name, applied_at, release, kind) values ('of-tomorrow', 1, '9.1.0', 'contract')`,
    );
    db.close();

    const sentence =
      /^The database was changed by Signalbox 9\.1\.0, which is newer than this program: update the program to 9\.1\.0\.\n?$/;
    await fails(serve(data), sentence);
    const { code, err } = await run(['token', 'ls', '--data', data]);
    assert.equal(code, 1);
    assert.match(err, sentence);

    const status = await run(['migrate', 'status', '--data', data]);
    assert.equal(status.code, 0);
    assert.deepEqual((JSON.parse(status.out) as { unknown: string[] }).unknown, ['of-tomorrow']);
    assert.equal((await run(['migrate', 'plan', '--data', data])).code, 1);
    const doctor = await run(['doctor', '--no-json', '--data', data]);
    assert.equal(doctor.code, 1);
    assert.match(doctor.out, /^fail {2}migrations .*changed by Signalbox 9\.1\.0/m);
  });
});

async function stopsInGoodOrder(server: ServerProcess, signal: NodeJS.Signals): Promise<string> {
  server.kill(signal);
  const { code, out, err } = await server.ended;
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, new RegExp(`"signal":"${signal}","msg":"stopping`));
  assert.match(out, /"msg":"stopped"/);
  return out;
}

describe('stopping', () => {
  test('a second signal does not wait for a call under way', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const server = await startServer(makeFolder());
      const { promise: isHeld, resolve } = Promise.withResolvers<void>();
      // A body that never ends keeps the call running.
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

  test('SIGUSR2 turns debug logging on and off, and SIGHUP stops it in good order', async () => {
    const server = await startServer(makeFolder());
    process.kill(server.pid, 'SIGUSR2');
    await server.say('"level":"debug"');
    process.kill(server.pid, 'SIGUSR2');
    await server.say('"level":"info"');
    await stopsInGoodOrder(server, 'SIGHUP');
  });
});
