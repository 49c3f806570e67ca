// Small calls and pushes that stand for billions of files or gigabytes of content: refused when they come in, at a small cost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { copiesOf, packChain, type TestDelta } from '../../src/host/git/fixture-pack.ts';
import type { InflationLimits } from '../../src/host/git/received-pack.ts';
import { buildTreeBomb } from '../../src/host/git/fixture-repository.ts';
import { buildBlob, buildTree, type NewObject } from '../../src/host/git/objects/new-object.ts';
import { PackService, type PackSettings } from '../../src/host/transport/git-service.ts';
import { findInflatedBytes, replaceInflatedBytes } from '../../src/host/transport/store-inflated.ts';
import { eventually, inTime } from '../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest } from '../git-tests.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type TestServer } from '../server.ts';
import { commitOf, packOf, PUSH_TYPE, pushBody } from './git-raw-push.ts';

const MEBIBYTE = 1024 ** 2;
const test = (name: string, body: () => Promise<void>) => gitTest(name, body);
/** Other systems do not show the processes that git starts. */
const linuxTest =
  process.platform === 'linux'
    ? test
    : (name: string) => gitTest(`${name} (needs Linux)`, (context) => context.skip());

let server: TestServer;
let ada: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
});
after(() => server.stop());

async function push(name: string, oid: string, pack: Buffer, ref = 'refs/heads/main'): Promise<string> {
  const answer = await server.call(`/ada/${name}/git-receive-pack`, {
    method: 'POST',
    token: ada.token,
    headers: PUSH_TYPE,
    body: pushBody(ref, oid, pack, 'report-status side-band-64k'),
  });
  return answer.text;
}

/** A pack with a commit of the first content, and deltas that nothing leads to. */
function chainOf(base: Buffer, deltas: readonly TestDelta[]): [tip: string, pack: Buffer] {
  const tree = buildTree([{ mode: '100644', name: 'file', oid: buildBlob(base).oid }]);
  const commit = commitOf(tree.oid);
  return [commit.oid, packChain(base, deltas, [tree, commit])];
}

/** What is in the folder of objects: packs, single objects, and what pushes have left. */
function objectsOf(number: number): string[] {
  const { folder } = server.app.kernel.services.git.repository(number);
  return readdirSync(`${folder}/objects`, { recursive: true })
    .map(String)
    .filter((path) => !['pack', 'info'].includes(path));
}

/** With other limits than usual. */
async function withPacks(settings: Partial<PackSettings>, work: () => Promise<void>): Promise<void> {
  const { services, clock } = server.app.kernel;
  const usual = services.packs;
  const repositories = `${services.git.repository(1).folder}/../..`;
  services.packs = new PackService({ repositories, maxPushBytes: 50 * MEBIBYTE, ...settings }, clock);
  try {
    await work();
  } finally {
    services.packs = usual;
  }
}

test('folders of folders cannot be created beyond a number of entries', async () => {
  await ada.repository('calls');
  const post = (tree: unknown[]) =>
    server.call('/repos/ada/calls/git/trees', { method: 'POST', token: ada.token, body: { tree } });
  let entry: Record<string, string> = { mode: '100644', content: 'x' };
  const statuses: number[] = [];
  for (let level = 0; level < 9 && statuses.at(-1) !== 422; level += 1) {
    const tree = Array.from({ length: 10 }, (_, index) => ({ ...entry, path: `n${index}` }));
    const { status, json } = await post(tree);
    statuses.push(status);
    if (status === 422) assert.match(json.message, /^The tree is too large when all folders .*\.$/);
    entry = { mode: '040000', type: 'tree', sha: json['sha'] };
  }
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 201, 422]);
});

test('a push of a tree of a billion files is refused, and nothing of it is left', async () => {
  const { id } = await ada.repository('pushed');
  const objects: NewObject[] = [];
  const commit = commitOf(buildTreeBomb(9, 10, objects));
  // Also where no reference leads to it.
  const harmless = commitOf(buildTree([]).oid);
  const pack = await packOf([...objects, commit, harmless, buildTree([])]);
  for (const tip of [commit, harmless]) {
    const text = await push('pushed', tip.oid, pack);
    assert.match(text, /The tree is too large when all folders/);
    assert.match(text, /ng refs\/heads\/main pre-receive hook declined/);
  }
  assert.deepEqual(objectsOf(id as number), []);
});

test('a pack is stored as it came, whatever its deltas stand for', async () => {
  const { id } = await ada.repository('kept');
  const base = randomBytes(64 * 1024);
  const deltas = Array.from({ length: 50 }, (_, index) => ({
    from: base.length + index,
    parts: [Buffer.from('x'), { at: 0, size: base.length + index }],
  }));
  assert.match(await push('kept', ...chainOf(base, deltas)), /unpack ok/);
  const packs = objectsOf(id as number).filter((path) => path.endsWith('.pack'));
  assert.equal(packs.length, 1);
  assert.deepEqual(
    objectsOf(id as number).filter((path) => !path.startsWith('pack')),
    [],
  );
});

test('a push whose objects are far larger than its pack is refused, and nothing of it is left', async () => {
  const { id } = await ada.repository('inflated');
  const base = Buffer.alloc(MEBIBYTE);
  const bomb = chainOf(base, [copiesOf(base.length, 8), copiesOf(8 * base.length, 4)]);
  await withPacks({ inflation: { ratio: 100, leastBytes: 16 * MEBIBYTE } }, async () => {
    const text = await push('inflated', ...bomb);
    assert.match(text, /have more than \d+ bytes when they are inflated/);
  });
  assert.deepEqual(objectsOf(id as number), []);
});

test('pushes that are together far larger than their packs are refused, and the repository is measured before', async () => {
  const { id } = await ada.repository('many');
  const push5 = async (at: number, limits: Partial<InflationLimits> = {}) => {
    const base = Buffer.alloc(MEBIBYTE, at);
    const inflation = { ratio: 1, repositoryBytes: 12 * MEBIBYTE, ...limits };
    let text = '';
    await withPacks({ inflation }, async () => {
      text = await push('many', ...chainOf(base, [copiesOf(base.length, 4)]), `refs/heads/${at}`);
    });
    return text;
  };
  const { db } = server.app.kernel;
  const row = { table: 'repositories', number: id as number } as const;
  assert.match(await push5(1), /unpack ok\n.*ok refs\/heads\/1/s);
  // As pushes leave it that were refused for other reasons.
  const counted = (await findInflatedBytes(db, row))!;
  assert.ok(counted > 5 * MEBIBYTE && counted < 5.1 * MEBIBYTE, `${counted}`);
  await replaceInflatedBytes(db, row, counted, 100 * MEBIBYTE);
  assert.match(await push5(2), /ok refs\/heads\/2/);
  const stored = objectsOf(id as number);
  const text = await push5(3);
  assert.match(text, /The objects of all pushes to this repository have more than \d+ bytes when they are/);
  assert.match(text, /ng refs\/heads\/3 pre-receive hook declined/);
  assert.deepEqual(objectsOf(id as number), stored);
  const measured = (await findInflatedBytes(db, row))!;
  assert.ok(measured > 10 * MEBIBYTE && measured < 10.1 * MEBIBYTE, `${measured}`);
  // What the packs have on disk counts many times.
  assert.match(await push5(3, { ratio: 1000 }), /ok refs\/heads\/3/);
});

linuxTest('a pack that takes more time to read than one of its size may is stopped', async () => {
  const { id } = await ada.repository('slow');
  const base = Buffer.alloc(16 * MEBIBYTE);
  // Each of them is another content of 16 MiB: minutes of work in 20 KB.
  const deltas = Array.from({ length: 2000 }, (_, index) => ({
    from: base.length + index,
    parts: [Buffer.from('x'), { at: 0, size: base.length + index }],
  }));
  await withPacks({ inflation: { ratio: 1, leastBytes: MEBIBYTE } }, async () => {
    assert.match(await push('slow', ...chainOf(base, deltas)), /unpack index-pack abnormal exit/);
  });
  assert.deepEqual(objectsOf(id as number), []);
  assert.ok(server.log.some(({ msg }) => msg === 'a push was stopped: its pack takes too long to read'));
});

linuxTest('a push that is not decided ends with its client', async () => {
  const { id } = await ada.repository('left');
  const base = Buffer.alloc(16 * MEBIBYTE);
  const deltas = Array.from({ length: 2000 }, (_, index) => ({
    from: base.length + index,
    parts: [Buffer.from('x'), { at: 0, size: base.length + index }],
  }));
  const [tip, pack] = chainOf(base, deltas);
  const body = pushBody('refs/heads/main', tip, pack);
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const head = ['POST /ada/left/git-receive-pack HTTP/1.1', 'host: x', `authorization: Bearer ${ada.token}`];
  const fields = [`content-type: ${PUSH_TYPE['content-type']}`, `content-length: ${body.length}`];
  socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n`);
  socket.write(body);
  await eventually(() => objectsOf(id as number).some((path) => path.includes('tmp_pack')));
  socket.destroy();
  await eventually(() => server.app.kernel.services.packs.load.used === 0);
  assert.deepEqual(objectsOf(id as number), []);
});

test('what only reads for a call ends with its caller', async () => {
  await ada.repository('read', { auto_init: true });
  const { program } = server.app.kernel.services.git.require();
  const { promise: reading, resolve } = Promise.withResolvers<AbortSignal>();
  // As git would, which has much to compare.
  const real = program.read.bind(program);
  program.read = async function* (args, call) {
    // Background work has no caller.
    if (call.signal === undefined) yield* real(args, call);
    else {
      resolve(call.signal);
      await once(call.signal, 'abort');
    }
  };
  try {
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const head = [
      'GET /repos/ada/read/commits/main HTTP/1.1',
      'host: x',
      `authorization: Bearer ${ada.token}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const signal = await inTime(reading, 'git is started');
    assert.equal(signal.aborted, false);
    socket.destroy();
    await eventually(() => signal.aborted);
  } finally {
    Reflect.deleteProperty(program, 'read');
  }
});
