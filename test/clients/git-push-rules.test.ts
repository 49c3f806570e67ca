// The real git, and bad imitations of it: what a push may not do, and that nothing is left of those that are refused.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import type { TransferLimits } from '../../src/host/transport/git-transfers.ts';
import { PackService } from '../../src/host/transport/git-service.ts';
import { eventually, inTime } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { giveToken } from '../people.ts';
import { startServer, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';
import { commitOf, deltaBomb, objectOf, packOf, PUSH_TYPE, pushBody, treeOf } from './git-raw-push.ts';

const MEBIBYTE = 1024 ** 2;

let server: TestServer;
let ada: HostPerson;
let one: GitClient;
let first: string;
before(async () => {
  server = await startServer({ limits: 'off', maxPushBytes: 5 * MEBIBYTE });
  ada = await joinHost(server, 'ada');
  one = new GitClient();
  await one.begin('work');
  first = await one.run('work', 'rev-parse', 'HEAD');
});
after(async () => {
  assert.deepEqual(server.app.kernel.services.packs.load, { used: 0, waiting: 0 });
  await server.stop();
});

const as = (name: string) => gitUrl(server, ada.token, `ada/${name}`);

/** A repository with one commit on `main`. */
async function repository(name: string): Promise<number> {
  const { id } = await ada.repository(name);
  await one.run('work', 'push', '--quiet', as(name), `${first}:refs/heads/main`);
  return id as number;
}

const push = (name: string, ...args: string[]) => one.try('work', ['push', as(name), ...args]);

const refsOf = async (name: string) =>
  (await one.run('', 'ls-remote', as(name)))
    .split('\n')
    .filter((line) => !line.endsWith('HEAD'))
    .map((line) => line.slice(41).replace('refs/heads/', ''));

/** Folders of objects that were received and not accepted. */
function quarantinesIn(folder: string): string[] {
  return readdirSync(`${folder}/objects`).filter((entry) => /incoming|tmp_/.test(entry));
}

const quarantines = (id: number): string[] =>
  quarantinesIn(server.app.kernel.services.git.repository(id).folder);

/** With other limits than usual. */
async function withPacks(
  { maxPushBytes = 5 * MEBIBYTE, ...limits }: Partial<TransferLimits> & { maxPushBytes?: number },
  work: () => Promise<void>,
): Promise<void> {
  const { services } = server.app.kernel;
  const usual = services.packs;
  const repositories = `${server.app.kernel.services.git.repository(1).folder}/../..`;
  const packs = new PackService({ repositories, maxPushBytes }, server.clock, { lookMs: 20, ...limits });
  services.packs = packs;
  try {
    await work();
    await eventually(() => packs.load.used === 0 && packs.load.waiting === 0);
  } finally {
    services.packs = usual;
  }
}

test('names that harm others are refused, and nothing of the push is done', async () => {
  const id = await repository('names');
  const cases: [string, RegExp][] = [
    ['main:refs/heads/-x', /must not begin with a hyphen/],
    ['main:refs/tags/a/--upload-pack', /must not begin with a hyphen/],
    ['main:refs/heads/Main', /refs\/heads\/Main differs from refs\/heads\/main only in upper and lower case/],
    ['main:refs/heads/HEAD', /HEAD cannot be the name/],
    ['main:refs/heads/a\ufffd', /must be UTF-8/],
    ['main:refs/replace/0000000000000000000000000000000000000001', /cannot be replaced/],
  ];
  for (const [refspec, words] of cases) {
    const { code, stderr } = await push('names', 'main:fine', refspec);
    assert.match(stderr, words);
    assert.match(stderr, /pre-receive hook declined/);
    assert.equal(code, 1);
  }
  const body = pushBody('refs/heads/a?', first, await packOf([]));
  body[body.indexOf('?')] = 0xff;
  const sent = { method: 'POST', headers: PUSH_TYPE, body };
  const { text } = await ada.call('/ada/names.git/git-receive-pack', sent);
  assert.match(text, /ng refs\/heads\/a.* pre-receive hook declined/);
  // Hidden references are refused by git, each by itself.
  const hidden = await push('names', 'main:refs/pull/1/head', 'main:refs/hidden/x', 'main:fine');
  assert.equal(hidden.stderr.match(/deny updating a hidden ref/g)?.length, 2);
  assert.deepEqual(await refsOf('names'), ['fine', 'main']);
  assert.deepEqual(quarantines(id), []);
});

test('a push that deletes a name may create one that differs from it in case only', async () => {
  const id = await repository('cased');
  const second = await one.run('work', 'commit-tree', `${first}^{tree}`, '-p', first, '-m', 'Second');
  const moved = `${second}:refs/heads/Feature`;
  await push('cased', 'main:Feature', 'main:other');
  for (const refspecs of [
    [':other', 'main:feature'],
    [moved, 'main:feature'],
    ['main:Next', 'main:next'],
  ]) {
    const { stderr } = await push('cased', ...refspecs);
    assert.match(stderr, /refs\/heads\/(\w+) differs from (?!refs\/heads\/\1 )refs\/heads\/\w+ only/);
  }
  assert.deepEqual(await refsOf('cased'), ['Feature', 'main', 'other']);
  assert.equal((await push('cased', ':Feature', 'main:feature')).code, 0);
  assert.deepEqual(await refsOf('cased'), ['feature', 'main', 'other']);
  // Of two that were there before anything looked at names, both can be moved.
  const { folder } = server.app.kernel.services.git.repository(id);
  await one.run('work', '--git-dir', folder, 'update-ref', 'refs/heads/Feature', first);
  for (const refspec of [moved, `${second}:refs/heads/feature`])
    assert.equal((await push('cased', refspec, `main:fresh-${refspec.length}`)).code, 0);
});

test('rules for branches refuse a push as a whole, and say why', async () => {
  const id = await repository('ruled');
  const rules = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  assert.equal((await ada.put('/repos/ada/ruled/branches/main/protection', rules)).status, 200);
  await one.run('work', 'checkout', '--quiet', '--orphan', 'other');
  await one.commit('work', { 'other.txt': 'x' }, 'Unrelated');
  const { stderr, code } = await push('ruled', '--force', 'other:main', 'other:fine');
  await one.run('work', 'checkout', '--quiet', 'main');
  assert.equal(code, 1);
  assert.match(stderr, /remote: .*GH006: Protected branch update failed for refs\/heads\/main/);
  assert.deepEqual(await refsOf('ruled'), ['main']);
  assert.deepEqual(quarantines(id), []);
});

test('without --atomic each reference is by itself, and with it all or none', async () => {
  await repository('atomic');
  const both = await push('atomic', '--atomic', 'main:one', ':main');
  assert.match(both.stderr, /refusing to delete the current branch/);
  assert.deepEqual(await refsOf('atomic'), ['main']);
  const { code } = await push('atomic', 'main:one', ':main');
  assert.equal(code, 1);
  assert.deepEqual(await refsOf('atomic'), ['main', 'one']);
});

test('a push over the limit of bytes is refused, and nothing of it is kept', async () => {
  const id = await repository('size');
  await one.run('work', 'checkout', '--quiet', '-b', 'big');
  await one.commit('work', { 'big.bin': randomBytes(6 * MEBIBYTE) });
  const { stderr } = await push('size', 'big');
  await one.run('work', 'checkout', '--quiet', 'main');
  assert.match(stderr, /pack exceeds maximum allowed size/);
  assert.deepEqual(await refsOf('size'), ['main']);
  assert.deepEqual(quarantines(id), []);
});

test('hundreds of references come at once, and more than some thousands are refused', async () => {
  await repository('many');
  const none = await packOf([]);
  // By hand: the time that the real client takes for so many grows with their square.
  const send = async (count: number) => {
    const refs = Array.from({ length: count }, (_, index) => `refs/tags/t${index}`);
    const body = pushBody(refs, first, none);
    return (await ada.call('/ada/many/git-receive-pack', { method: 'POST', headers: PUSH_TYPE, body })).text;
  };
  assert.equal((await send(5001)).match(/ng refs\/tags\/t\d+ pre-receive hook declined/g)?.length, 5001);
  assert.equal((await send(200)).match(/ok refs\/tags/g)?.length, 200);
  assert.equal((await refsOf('many')).length, 201);
});

test('of two pushes to one branch at the same time one wins, and the other is told', async () => {
  await repository('race');
  const people = [one, new GitClient('Ben')];
  await people[1]!.run('', 'clone', '--quiet', as('race'), 'work');
  for (let round = 0; round < 3; round += 1) {
    const results = await Promise.all(
      people.map(async (person) => {
        await person.commit('work', { [`${Math.random()}`]: 'x' });
        return await person.try('work', ['push', as('race'), 'HEAD:main']);
      }),
    );
    const lost = results.filter(({ code }) => code !== 0);
    // They may also have come one after the other: then the second is behind.
    assert.equal(lost.length, 1);
    assert.match(lost[0]!.stderr, /rejected/);
    const [winner, loser] = results[0]!.code === 0 ? people : people.toReversed();
    await loser!.run('work', 'fetch', '--quiet', as('race'), 'main');
    await loser!.run('work', 'reset', '--quiet', '--hard', 'FETCH_HEAD');
    assert.equal(
      await loser!.run('work', 'rev-parse', 'HEAD'),
      await winner!.run('work', 'rev-parse', 'HEAD'),
    );
  }
  await one.run('work', 'reset', '--quiet', '--hard', first);
});

test('packs with wrong objects are refused, and nothing of them is kept', async () => {
  const id = await repository('packs');
  const blob = objectOf('blob', Buffer.from('text\n'));
  const modules = objectOf('blob', Buffer.from('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'));
  const bad = async (name: string, entries: [string, string, string][], blobs = [blob]) => {
    const tree = treeOf(entries);
    const commit = commitOf(tree.oid);
    return { name, oid: commit.oid, pack: await packOf([...blobs, tree, commit]) };
  };
  const lost = commitOf('1'.repeat(40));
  const good = await bad('good', [['100644', 'a', blob.oid]]);
  const cases = [
    { name: 'missing tree', oid: lost.oid, pack: await packOf([lost]) },
    await bad('missing blob', [['100644', 'a', blob.oid]], []),
    await bad('.git in a tree', [['100644', '.git', blob.oid]]),
    await bad('.GIT in a tree', [['100644', '.GiT', blob.oid]]),
    await bad('short name of .git', [['100644', 'git~1', blob.oid]]),
    await bad('parent folder', [['100644', '..', blob.oid]]),
    await bad('two entries of one name', [
      ['100644', 'a', blob.oid],
      ['100644', 'a', blob.oid],
    ]),
    await bad('slash in a name', [['100644', 'a/b', blob.oid]]),
    await bad('submodule with an option as its address', [['100644', '.gitmodules', modules.oid]], [modules]),
    await bad('.gitmodules as a link', [['120000', '.gitmodules', blob.oid]]),
    { ...good, name: 'object that the pack does not have', oid: '2'.repeat(40) },
    { ...good, name: 'wrong checksum', pack: Buffer.concat([good.pack.subarray(0, -1), Buffer.from([0])]) },
    { ...good, name: 'cut pack', pack: good.pack.subarray(0, -30) },
    { ...good, name: 'no pack', pack: Buffer.from('rubbish') },
    { ...good, name: 'delta bomb', pack: deltaBomb() },
  ];
  for (const { name, oid, pack } of cases) {
    const body = pushBody('refs/heads/bad', oid, pack);
    const sent = { method: 'POST', headers: PUSH_TYPE, body };
    const { status, text } = await ada.call('/ada/packs.git/git-receive-pack', sent);
    assert.ok(status === 200 || status === 400, name);
    assert.doesNotMatch(text, /ok refs\/heads\/bad/, name);
    assert.deepEqual(quarantines(id), [], name);
  }
  assert.deepEqual(await refsOf('packs'), ['main']);
  const { oid, pack } = good;
  const body = pushBody('refs/heads/good', oid, pack);
  const { text } = await ada.call('/ada/packs.git/git-receive-pack', {
    method: 'POST',
    headers: PUSH_TYPE,
    body,
  });
  assert.match(text, /ok refs\/heads\/good/);
});

/** A connection that has sent the head of a push or fetch, and more. */
async function begin(path: string, headers: Record<string, string>, ...parts: (string | Buffer)[]) {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const all = { host: hostname, authorization: `Bearer ${ada.token}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  for (const part of parts) socket.write(part);
  return socket;
}

/** More than fits into what is read of a request at once. */
async function bigCommit(): Promise<{ oid: string; pack: Buffer }> {
  const blob = objectOf('blob', randomBytes(200_000));
  const tree = treeOf([['100644', 'a', blob.oid]]);
  const commit = commitOf(tree.oid);
  return { oid: commit.oid, pack: await packOf([blob, tree, commit]) };
}

test('a push that is cut in the middle leaves nothing behind', async () => {
  const id = await repository('cut');
  const { packs } = server.app.kernel.services;
  const { oid, pack } = await bigCommit();
  const body = pushBody('refs/heads/half', oid, pack);
  const headers = { ...PUSH_TYPE, 'content-length': String(body.length) };
  const socket = await begin('/ada/cut.git/git-receive-pack', headers, body.subarray(0, 100_000));
  await eventually(() => packs.load.used === 1 && quarantines(id).length === 1);
  socket.destroy();
  await eventually(() => packs.load.used === 0);
  assert.deepEqual(quarantines(id), []);
  assert.deepEqual(await refsOf('cut'), ['main']);
});

/** Sends half of a push, changes something, and returns the reply to the other half. */
async function pushAround(
  { path, secret, ref, folder }: { path: string; secret: string; ref: string; folder: string },
  change: () => Promise<{ status: number }>,
): Promise<string> {
  const { oid, pack } = await bigCommit();
  const body = pushBody(ref, oid, pack, 'report-status side-band-64k');
  const head = { authorization: `Bearer ${secret}`, 'content-length': `${body.length}`, connection: 'close' };
  const socket = await begin(path, { ...PUSH_TYPE, ...head }, body.subarray(0, 100_000));
  await eventually(() => quarantinesIn(folder).length === 1);
  const { status } = await change();
  assert.ok(status < 300, `${status}`);
  socket.write(body.subarray(100_000));
  return (await inTime(socket.toArray())).join('');
}

const deleteToken = (id: string) => server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' });

test('a push is judged by what holds when all of it has come: the role, the token, the repository', async () => {
  const ben = await joinHost(server, 'ben');
  const token = await giveToken(server, ben.member, { role: 'writer' });
  const { folder } = server.app.kernel.services.git.repository(await repository('judged'));
  const setRole = (permission: string) => ada.put('/repos/ada/judged/collaborators/ben', { permission });
  const archive = (archived: boolean) => ada.patch('/repos/ada/judged', { archived });
  const send = (branch: string, change: () => Promise<{ status: number }>) =>
    pushAround(
      { path: '/ada/judged.git/git-receive-pack', secret: token.value, ref: `refs/heads/${branch}`, folder },
      change,
    );
  await setRole('push');
  assert.match(await send('fine', () => ada.get('/repos/ada/judged')), /ok refs\/heads\/fine/);
  assert.match(await send('role', () => setRole('pull')), /You must have write rights/);
  await setRole('push');
  assert.match(await send('archived', () => archive(true)), /The repository is archived/);
  await archive(false);
  assert.match(await send('token', () => deleteToken(token.id)), /The credential is not valid/);
  assert.deepEqual(await refsOf('judged'), ['fine', 'main']);
  assert.deepEqual(quarantinesIn(folder), []);
});

test('a push to a gist with a token that is deleted meanwhile is refused', async () => {
  const token = await giveToken(server, ada.member, { role: 'writer' });
  const { json } = await ada.post('/gists', { files: { 'a.txt': { content: 'a' } } });
  const path = `/gist/${json['id']}.git/git-receive-pack`;
  const [gist] = await server.app.kernel.db.selectFrom('gists').select('number').execute();
  const { folder } = server.app.kernel.services.gistGit.repository(gist!.number);
  const pushed = { path, secret: token.value, ref: 'refs/heads/main', folder };
  assert.match(await pushAround(pushed, () => deleteToken(token.id)), /The credential is not valid/);
});

test('a client that stops sending is cut, and nothing is left of its push', async () => {
  const id = await repository('stalled');
  const { clock } = server;
  await withPacks({ lookMs: 20 }, async () => {
    const body = pushBody('refs/heads/half', first, await packOf([objectOf('blob', randomBytes(10_000))]));
    const headers = { ...PUSH_TYPE, 'transfer-encoding': 'chunked' };
    const half = body.subarray(0, 5000);
    const sent = await begin(
      '/ada/stalled/git-receive-pack',
      headers,
      `${half.length.toString(16)}\r\n`,
      half,
      '\r\n',
    );
    const closed = once(sent.resume(), 'close');
    const { packs } = server.app.kernel.services;
    await eventually(() => packs.load.used === 1 && quarantines(id).length === 1);
    await eventually(() => {
      clock.ahead += 61_000;
      return packs.load.used === 0;
    }, 'the end of the silent push');
    await inTime(closed, 'the end of the connection');
    assert.deepEqual(quarantines(id), []);
  });
});

test('more transfers than there is room for wait, and then are told to come again', async () => {
  // Otherwise the holder would lose its slot where git takes longer than ten seconds to come.
  server.clock.stop();
  await repository('busy');
  await withPacks({ max: 1, maxWaiting: 1, waitMs: 120_000 }, async () => {
    const { packs } = server.app.kernel.services;
    const holder = await begin('/ada/busy/git-receive-pack', { ...PUSH_TYPE, 'content-length': '1000' }, '0');
    await eventually(() => packs.load.used === 1);
    const waiting = one.try('', ['clone', '--quiet', as('busy'), 'waited']);
    await eventually(() => packs.load.waiting === 1);
    const headers = { 'content-type': 'application/x-git-upload-pack-request' };
    const refused = await ada.call('/ada/busy/git-upload-pack', { method: 'POST', headers, body: '0000' });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '10']);
    holder.destroy();
    assert.equal((await waiting).code, 0);
  });
});
