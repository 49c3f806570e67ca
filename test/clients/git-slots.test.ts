// The real git beside clients that read next to nothing: nobody keeps the slots for transfers from others.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { GitTransfers, type TransferLimits } from '../../src/host/transport/git-transfers.ts';
import { PackService } from '../../src/host/transport/git-service.ts';
import { eventually, inTime } from '../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';
import { PUSH_TYPE, pushBody } from './git-raw-push.ts';

const FETCH_TYPE = { 'content-type': 'application/x-git-upload-pack-request' };
/** Longer than a client is tolerated while others wait, and shorter than a silent one is otherwise. */
const WINDOW_MS = 11_000;

let server: TestServer;
let ada: HostPerson;
let ben: HostPerson;
let git: GitClient;
let head: string;
before(async () => {
  server = await startServer({ limits: 'off', trustProxy: ['127.0.0.1'] });
  // Whoever holds a slot is tolerated for ten seconds: they pass where a test says so.
  server.clock.stop();
  ada = await joinHost(server, 'ada');
  ben = await joinHost(server, 'ben');
  await ada.repository('big');
  git = new GitClient();
  // More than the buffers of a connection hold.
  await git.begin('work', { 'big.bin': randomBytes(14 * 1024 ** 2) });
  head = await git.run('work', 'rev-parse', 'HEAD');
  await git.run('work', '-c', 'core.compression=0', 'push', '--quiet', urlFor(ada.token), 'HEAD:main');
  await git.begin('small');
  await git.run('small', 'push', '--quiet', urlFor(ada.token), 'HEAD:small');
});
after(() => server.stop());

const urlFor = (token?: string) => gitUrl(server, token, 'ada/big');
const packs = () => server.app.kernel.services.packs;
const downloads = () => server.app.kernel.services.downloads;

/** With other limits than usual, and no transfer left afterwards. */
async function withLimits(limits: Partial<TransferLimits>, work: () => Promise<void>): Promise<void> {
  const { services } = server.app.kernel;
  const usual = services.packs;
  const repositories = `${services.git.repository(1).folder}/../..`;
  const settings = { repositories, maxPushBytes: usual.maxPushBytes };
  services.packs = new PackService(settings, server.clock, {
    max: 4,
    lookMs: 20,
    waitMs: 120_000,
    ...limits,
  });
  try {
    await work();
    await eventually(() => packs().load.used === 0 && packs().load.waiting === 0, 'the end of all transfers');
  } finally {
    services.packs = usual;
  }
}

/** One slot for downloads, and no download left afterwards. */
async function withOneDownload(work: () => Promise<void>): Promise<void> {
  const { services } = server.app.kernel;
  const usual = services.downloads;
  const limits = { max: 1, lookMs: 20, waitMs: 600_000 };
  services.downloads = new GitTransfers('downloads from git', limits, server.clock);
  try {
    await work();
    await eventually(() => downloads().load.used === 0 && downloads().load.waiting === 0, 'the end of all');
  } finally {
    services.downloads = usual;
  }
}

/** A client that asks for everything and reads nothing. */
async function begin(
  line: string,
  headers: Record<string, string>,
  body: string | Buffer = '',
): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const all = { host: hostname, 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.pause();
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body);
  return socket;
}

const attack = (from: string, headers: Record<string, string> = {}) =>
  begin(
    'POST /ada/big.git/git-upload-pack',
    { ...FETCH_TYPE, 'x-forwarded-for': from, ...headers },
    `0040want ${head} side-band-64k\n00000009done\n`,
  );

/** The band of a reply of git on which errors come. */
const ERROR_BAND = '\u0003';

let clones = 0;
/** The real client sends its token only where it is asked for one, which public repositories never do. */
const clone = (from: string, token?: string) =>
  git.try('', [
    '-c',
    `http.extraHeader=X-Forwarded-For: ${from}`,
    ...(token === undefined ? [] : ['-c', `http.extraHeader=Authorization: Bearer ${token}`]),
    'clone',
    '--quiet',
    '--single-branch',
    '--branch',
    'small',
    urlFor(),
    `clone${(clones += 1)}`,
  ]);

const end = (sockets: Socket[]) => sockets.forEach((socket) => socket.destroy());

test('eight attackers at eight addresses on four slots: a ninth, honest client still clones', async () => {
  await withLimits({}, async () => {
    const attackers: Socket[] = [];
    for (let index = 1; index <= 8; index += 1) {
      attackers.push(await attack(`198.51.100.${index}`));
      await eventually(() => packs().load.used + packs().load.waiting === index);
    }
    // One slot is left for callers with a credential, who need not wait.
    assert.deepEqual(packs().load, { used: 3, waiting: 5 });
    assert.equal((await clone('198.51.100.8', ada.token)).code, 0);
    const honest = clone('203.0.113.9');
    await eventually(() => packs().load.waiting === 6);
    // Those who came first are tolerated for a while, and then those who came next.
    await eventually(() => {
      if (packs().load.waiting > 0) server.clock.ahead += WINDOW_MS;
      return packs().load.waiting === 0;
    }, 'the turn of everybody');
    const { code, stderr } = await honest;
    assert.equal(code, 0, stderr);
    end(attackers);
  });
});

test('eight attackers at one address leave room for others at once', async () => {
  await withLimits({}, async () => {
    const attackers = await Promise.all(Array.from({ length: 8 }, () => attack('2001:db8::1')));
    await eventually(() => packs().load.used === 2 && packs().load.waiting === 6);
    assert.equal((await clone('203.0.113.9')).code, 0);
    assert.equal((await clone('2001:db8::2', ben.token)).code, 0);
    end(attackers);
  });
});

test('a member has no more slots by more tokens or addresses', async () => {
  await withLimits({}, async () => {
    const authorization = `Bearer ${ada.token}`;
    const attackers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => attack(`198.51.100.${index}`, { authorization })),
    );
    await eventually(() => packs().load.used === 2 && packs().load.waiting === 4);
    assert.equal((await clone('203.0.113.9', ben.token)).code, 0);
    end(attackers);
  });
});

test('a slow client that is cut is told why', async () => {
  await withLimits({ max: 1 }, async () => {
    const slow = await attack('198.51.100.1');
    await eventually(() => packs().load.used === 1);
    const waiting = clone('203.0.113.9');
    await eventually(() => packs().load.waiting === 1);
    await eventually(() => {
      if (packs().load.waiting > 0) server.clock.ahead += WINDOW_MS;
      return packs().load.waiting === 0;
    });
    let text = '';
    slow.setEncoding('latin1').on('data', (chunk: string) => (text = (text + chunk).slice(-500)));
    await inTime(once(slow.resume(), 'close'), 'the end of the reply');
    assert.equal((await waiting).code, 0);
    assert.match(
      text,
      new RegExp(
        String.raw`${ERROR_BAND}The server ended this transfer: others wait, and it was slower than \d+ KiB a second`,
      ),
    );
  });
});

test('a push that is half sent is cut, and the pusher is told', async () => {
  await withLimits({ maxMs: 1e12 }, async () => {
    const body = pushBody('refs/heads/half', head, Buffer.from('PACK'));
    const headers = {
      ...PUSH_TYPE,
      authorization: `Bearer ${ada.token}`,
      'content-length': String(body.length + 1000),
    };
    const pusher = await begin('POST /ada/big.git/git-receive-pack', headers, body);
    await eventually(() => packs().load.used === 1);
    let text = '';
    pusher.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).resume();
    const closed = once(pusher, 'close');
    // Nobody waits: it may be silent for a minute.
    await eventually(() => {
      server.clock.ahead += WINDOW_MS;
      return packs().load.used === 0;
    }, 'the end of the silent push');
    await inTime(closed, 'the end of the connection');
    assert.ok(
      text.includes(
        `${ERROR_BAND}The server ended this transfer, because nothing was sent or read for 60 seconds`,
      ),
    );
  });
});

test('a client that stops reading is cut, even where nobody waits', async () => {
  await withLimits({ maxMs: 1e12 }, async () => {
    const silent = await attack('198.51.100.1');
    await eventually(() => packs().load.used === 1);
    await eventually(() => {
      server.clock.ahead += WINDOW_MS;
      return packs().load.used === 0;
    }, 'the end of the silent fetch');
    end([silent]);
  });
});

test('a transfer that takes too long ends, even where nobody waits', async () => {
  await withLimits({ maxMs: 60_000, stallMs: 1e9 }, async () => {
    const slow = await attack('198.51.100.1');
    await eventually(() => packs().load.used === 1);
    server.clock.ahead += 60_000;
    await eventually(() => packs().load.used === 0);
    end([slow]);
  });
});

test('a transfer that is cut before git runs ends, and the client is told why', async () => {
  await withLimits({ maxMs: 0, lookMs: 1 }, async () => {
    const early = await attack('198.51.100.1');
    let text = '';
    early.setEncoding('latin1').on('data', (chunk: string) => (text = (text + chunk).slice(-500)));
    await inTime(once(early.resume(), 'close'), 'the end of the reply');
    assert.match(text, /The server ended this transfer, because it took longer than/);
  });
});

test('who must come again is told when, by git too', async () => {
  await withLimits({ max: 1, maxWaiting: 0 }, async () => {
    const holder = await attack('198.51.100.1');
    await eventually(() => packs().load.used === 1);
    const first = await clone('203.0.113.9');
    assert.match(first.stderr, /remote: Too many transfers of git .* Try again in \d+ seconds\./);
    const call = { method: 'POST', headers: FETCH_TYPE, body: '0000' };
    const { status, headers, text } = await server.call('/ada/big.git/git-upload-pack', call);
    assert.equal(status, 503);
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(text, /^Too many transfers of git are going on at this server, and 0 more wait\./);
    end([holder]);
  });
});

test('git shows the reason also where a later request is refused', async () => {
  await withLimits({ max: 1, maxWaiting: 1, waitMs: 50 }, async () => {
    const holder = await attack('198.51.100.1');
    await eventually(() => packs().load.used === 1);
    const fetched = await clone('203.0.113.9');
    assert.match(fetched.stderr, /remote error: Too many transfers of git .* Try again in \d+ seconds\./);
    await git.run('work', 'branch', '--force', 'more');
    const pushed = await git.try('work', ['push', urlFor(ada.token), 'more']);
    assert.match(pushed.stderr, /remote: Too many transfers of git .* Try again in \d+ seconds\./);
    end([holder]);
  });
});

const RAW = { accept: 'application/vnd.github.raw' };
const download = (from: string) => begin('GET /raw/ada/big/main/big.bin', { 'x-forwarded-for': from });

test('every way to read a large file takes its turn, and who leaves meanwhile waits no longer', async () => {
  const blob = await git.run('work', 'rev-parse', 'HEAD:big.bin');
  // More than is read at once.
  const files = { 'large.txt': { content: 'x'.repeat(1.5 * 1024 ** 2) }, 'small.txt': { content: 'small' } };
  const gist = await ada.call('/gists', { method: 'POST', body: { public: true, files } });
  const addressOf = (name: string) => new URL(gist.json['files'][name].raw_url as string).pathname;
  const ways: [path: string, headers?: Record<string, string>][] = [
    ['/repos/ada/big/contents/big.bin', RAW],
    ['/raw/ada/big/main/big.bin'],
    ['/raw/ada/big/main/big.bin', { range: 'bytes=5-9' }],
    [`/repos/ada/big/git/blobs/${blob}`, RAW],
    [`/repos/ada/big/git/blobs/${blob}`],
    [addressOf('large.txt')],
  ];
  await withOneDownload(async () => {
    const slow = await download('198.51.100.1');
    await eventually(() => downloads().load.used === 1);
    for (const [path, headers = {}] of ways) {
      const waiting = await begin(`GET ${path}`, { ...headers, 'x-forwarded-for': '203.0.113.9' });
      await eventually(() => downloads().load.waiting === 1, `the turn of ${path}`);
      waiting.destroy();
      await eventually(() => downloads().load.waiting === 0, `the end of ${path}`);
    }
    // What is small, or has no body, needs no turn.
    assert.equal((await server.call(addressOf('small.txt'))).text, 'small');
    for (const [path, headers = {}] of ways) {
      const { status } = await server.call(path, { method: 'HEAD', headers });
      assert.equal(status, headers['range'] === undefined ? 200 : 206);
    }
    end([slow]);
  });
});

test('someone who reads a large file slowly loses the turn to one who waits', async () => {
  await withOneDownload(async () => {
    const slow = await download('198.51.100.1');
    await eventually(() => downloads().load.used === 1);
    const closed = once(slow, 'close');
    const honest = server.call('/raw/ada/big/main/big.bin', {
      headers: { 'x-forwarded-for': '203.0.113.9' },
    });
    await eventually(() => downloads().load.waiting === 1);
    await eventually(() => {
      if (downloads().load.waiting > 0) server.clock.ahead += WINDOW_MS;
      return downloads().load.waiting === 0;
    }, 'the turn of the one who waits');
    const { status, headers } = await honest;
    assert.deepEqual([status, headers.get('content-length')], [200, String(14 * 1024 ** 2)]);
    slow.resume();
    await inTime(closed, 'the end of the slow reader');
  });
});
