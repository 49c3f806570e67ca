// Repositories on the real git program: revisions, refs, objects and paths.
import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import {
  addBlob,
  commitTree,
  addTree,
  runIn,
  startGit,
  supportedGit,
  type TestGit,
} from './fixture-repository.ts';
import { Git } from './git.ts';
import { GitError } from './process/git-process.ts';
import type { GitRepository } from './repository.ts';

const skip = (await supportedGit()) === undefined && 'git 2.38 or newer is not installed';
const ABSENT = 'f'.repeat(40);
const NOT_UTF8 = Buffer.from([0x61, 0xff]);
const LONG = 'x'.repeat(3000);

let server: TestGit;
let repository: GitRepository;
let ids: {
  blob: string;
  empty: string;
  large: string;
  inner: string;
  tree: string;
  commit: string;
  tag: string;
  tagOfTag: string;
};

before(async () => {
  server = await startGit();
  if (skip !== false) return;
  repository = await server.git.createRepository(7, 'main');
  const [blob, empty, large] = (await Promise.all(
    ['hello\n', '', Buffer.alloc(1_500_000, 'abc')].map((content) => addBlob(repository, content)),
  )) as [string, string, string];
  const inner = await addTree(repository, [
    `100644 blob ${blob}\tnew\nline`,
    `100644 blob ${empty}\t${LONG}`,
  ]);
  const tree = await addTree(repository, [
    `100644 blob ${blob}\tREADME`,
    Buffer.concat([Buffer.from(`100755 blob ${blob}\t`), NOT_UTF8]),
    `040000 tree ${inner}\tdir`,
    `120000 blob ${blob}\tlink`,
    `160000 commit ${'1'.repeat(40)}\tmodule`,
    `100644 blob ${large}\tlarge`,
    `100644 blob ${blob}\tä`,
  ]);
  const commit = await commitTree(repository, tree);
  const tag = await runIn(
    repository,
    ['mktag'],
    `object ${commit}\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nFirst\n`,
  );
  const tagOfTag = await runIn(
    repository,
    ['mktag'],
    `object ${tag}\ntype tag\ntag v2\ntagger A <a@b> 1 +0000\n\nSecond\n`,
  );
  await runIn(
    repository,
    ['update-ref', '--stdin'],
    [
      `create refs/heads/main ${commit}`,
      `create refs/heads/feature/ä ${commit}`,
      `create refs/heads/refs/heads/shadow ${commit}`,
      `create refs/tags/main ${tag}`,
      `create refs/tags/v1 ${tag}`,
      `create refs/tags/v2 ${tagOfTag}`,
      `create refs/tags/tree ${tree}`,
      `create refs/pull/1/head ${commit}`,
      '',
    ].join('\n'),
  );
  ids = { blob, empty, large, inner, tree, commit, tag, tagOfTag };
});
after(() => server.stop());

test('a new repository is bare, has its default branch, and passes git’s own check', { skip }, async () => {
  const created = await server.git.createRepository(300, 'trunk/ä');
  assert.equal(created.folder, join(server.folder, '2c', '300.git'));
  assert.equal(await runIn(created, ['rev-parse', '--is-bare-repository']), 'true');
  assert.equal(await runIn(created, ['symbolic-ref', 'HEAD']), 'refs/heads/trunk/ä');
  assert.equal(created.readHead(), 'refs/heads/trunk/ä');
  assert.equal(await runIn(created, ['fsck', '--strict']), '');
  assert.equal(await runIn(created, ['config', '--type=bool', 'receive.fsckObjects']), 'true');
  assert.equal(await created.resolve('HEAD'), undefined);
  assert.deepEqual(await created.listRefs({ prefix: 'refs/', limit: 10 }), []);
  assert.equal(await server.git.exists(300), true);
});

test(
  'a repository that exists is not created again, and a bad branch creates nothing',
  { skip },
  async () => {
    await assert.rejects(server.git.createRepository(7, 'other'), isFailure('conflict'));
    assert.equal(repository.readHead(), 'refs/heads/main');
    for (const branch of ['', '-x', 'a b', '../x', 'HEAD'])
      await assert.rejects(server.git.createRepository(8, branch), isFailure('invalid'));
    assert.equal(await server.git.exists(8), false);
    assert.deepEqual(await readdir(join(server.folder, 'tmp')), []);
    for (const number of [0, -1, 1.5, NaN]) assert.throws(() => server.git.repository(number));
  },
);

test(
  'a removed repository is gone with its processes, and what a crash left is swept',
  { skip },
  async () => {
    const { git, folder, stop } = await startGit();
    const doomed = await git.createRepository(1, 'main');
    const oid = await addBlob(doomed, 'x');
    assert.equal((await doomed.readInfo(oid))?.size, 1);
    await git.removeRepository(1);
    await git.removeRepository(1);
    assert.equal(await git.exists(1), false);
    assert.equal(await git.exists(2), false);
    assert.deepEqual(await readdir(join(folder, 'tmp')), []);
    const left = join(folder, 'tmp', 'left.git');
    await mkdir(join(left, 'refs'), { recursive: true });
    const { ctimeMs } = await stat(left);
    await git.sweep(ctimeMs + 60_000);
    assert.ok(await stat(left));
    await git.sweep(ctimeMs + 3_700_000);
    assert.deepEqual(await readdir(join(folder, 'tmp')), []);
    await stop();
  },
);

test(
  'a revision is a whole object id first, then a branch, a tag, a full name, or the beginning of an id',
  { skip },
  async () => {
    const { commit, tag, tagOfTag, tree, blob } = ids;
    const cases = [
      ['main', { oid: commit, type: 'commit', ref: 'refs/heads/main' }],
      ['feature/ä', { oid: commit, type: 'commit', ref: 'refs/heads/feature/ä' }],
      ['v1', { oid: tag, type: 'tag', ref: 'refs/tags/v1' }],
      ['tags/main', { oid: tag, type: 'tag', ref: 'refs/tags/main' }],
      ['refs/tags/v2', { oid: tagOfTag, type: 'tag', ref: 'refs/tags/v2' }],
      ['pull/1/head', { oid: commit, type: 'commit', ref: 'refs/pull/1/head' }],
      ['HEAD', { oid: commit, type: 'commit', ref: 'HEAD' }],
      ['tree', { oid: tree, type: 'tree', ref: 'refs/tags/tree' }],
      [commit, { oid: commit, type: 'commit' }],
      [commit.slice(0, 12).toUpperCase(), { oid: commit, type: 'commit' }],
      [blob, { oid: blob, type: 'blob' }],
    ] as const;
    for (const [revision, expected] of cases)
      assert.deepEqual(await repository.resolve(revision), expected, revision);
    const absent = [
      'nothing',
      'main~0',
      'main^{tree}',
      'main:README',
      '@',
      'HEAD@{0}',
      `x-g${commit}`,
      ABSENT,
      'fffffff',
      '',
      '-h',
      'a\nb',
      'feature',
      'config',
      '../config',
      'shadow',
      'FETCH_HEAD',
    ];
    for (const revision of absent) assert.equal(await repository.resolve(revision), undefined, revision);
    await runIn(repository, ['update-ref', `refs/heads/${blob}`, commit]);
    assert.deepEqual(await repository.resolve(blob), { oid: blob, type: 'blob' });
    await runIn(repository, ['update-ref', '-d', `refs/heads/${blob}`]);
  },
);

test('a ref is found in packed-refs as well, and when it changes', { skip }, async () => {
  const packed = await server.git.createRepository(9, 'main');
  const commit = await commitTree(packed, await addTree(packed, []));
  const tag = await runIn(
    packed,
    ['mktag'],
    `object ${commit}\ntype commit\ntag t\ntagger A <a@b> 1 +0000\n\nT\n`,
  );
  const names = Array.from(
    { length: 200 },
    (_, index) => `refs/${index % 3 === 0 ? 'tags' : 'heads'}/n${index}`,
  );
  const lines = names.map((name) => `create ${name} ${name.startsWith('refs/tags') ? tag : commit}\n`);
  await runIn(packed, ['update-ref', '--stdin'], lines.join(''));
  await runIn(packed, ['pack-refs', '--all', '--prune']);
  for (const name of names)
    assert.equal(await packed.readRef(name), name.startsWith('refs/tags') ? tag : commit, name);
  for (const name of [
    'refs/heads/',
    'refs/heads/n',
    'refs/heads/n0',
    'refs/tags/n999',
    'refs/zzz/a',
    'refs/a/a',
    '# pack-refs',
    'HEAD',
  ])
    assert.equal(await packed.readRef(name), undefined, name);
  const other = await commitTree(packed, await addTree(packed, []), 'Other');
  await runIn(packed, ['update-ref', 'refs/heads/n1', other]);
  assert.equal(await packed.readRef('refs/heads/n1'), other);
  await runIn(packed, ['update-ref', '-d', 'refs/heads/n1']);
  assert.equal(await packed.readRef('refs/heads/n1'), undefined);
  assert.equal(await packed.readRef('refs/heads/n2'), commit);
});

test('a commit is found through tags, and by a short id', { skip }, async () => {
  const { commit, tree } = ids;
  for (const revision of ['main', 'v1', 'v2', 'refs/tags/v2', commit, commit.slice(0, 10)])
    assert.equal((await repository.resolveCommit(revision))?.oid, commit, revision);
  for (const revision of ['tree', tree, ABSENT])
    assert.equal(await repository.resolveCommit(revision), undefined);
  const found = await repository.readCommit(commit);
  assert.deepEqual(found, {
    oid: commit,
    tree,
    parents: [],
    author: { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: 60 },
    committer: { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: 60 },
    message: 'A commit\n',
  });
});

test('a short id of several objects means the only commit among them', { skip }, async () => {
  const crowded = await server.git.createRepository(10, 'main');
  const tree = await addTree(crowded, []);
  const commit = await commitTree(crowded, tree, 'c\n');
  const prefix = commit.slice(0, 4);
  // Found by trying: their ids begin like that of the commit.
  const blobs = [await addBlob(crowded, '26076'), await addBlob(crowded, '82081')];
  for (const oid of blobs) assert.equal(oid.slice(0, 4), prefix);
  assert.deepEqual(await crowded.resolve(prefix), { oid: commit, type: 'commit' });
  assert.equal((await crowded.resolveCommit(prefix))?.oid, commit);
  for (const oid of blobs) assert.equal((await crowded.resolve(oid.slice(0, 12)))?.oid, oid);
});

test('refs are listed by prefix, in order, a page at a time, with what tags lead to', { skip }, async () => {
  const { commit, tag, tagOfTag, tree } = ids;
  const tags = await repository.listRefs({ prefix: 'refs/tags/', limit: 100 });
  const peeled = { oid: commit, type: 'commit' };
  assert.deepEqual(tags, [
    { name: 'refs/tags/main', oid: tag, type: 'tag', peeled },
    { name: 'refs/tags/tree', oid: tree, type: 'tree' },
    { name: 'refs/tags/v1', oid: tag, type: 'tag', peeled },
    { name: 'refs/tags/v2', oid: tagOfTag, type: 'tag', peeled },
  ]);
  const names = async (prefix: string, limit = 100, last?: string) =>
    (await repository.listRefs({ prefix, limit, after: last })).map(({ name }) => name);
  assert.deepEqual(await names('refs/tags/v'), ['refs/tags/v1', 'refs/tags/v2']);
  assert.deepEqual(await names('refs/heads/feat'), ['refs/heads/feature/ä']);
  assert.deepEqual(await names('refs/tags/', 2), ['refs/tags/main', 'refs/tags/tree']);
  assert.deepEqual(await names('refs/tags/', 2, 'refs/tags/tree'), ['refs/tags/v1', 'refs/tags/v2']);
  assert.deepEqual(await names('refs/tags/', 2, 'refs/tags/zzz'), []);
  assert.equal((await names('refs/')).length, 8);
  for (const prefix of ['refs/nothing/', 'refs/*/', 'refs/[th]ags/', '--help', 'refs/tags/v1/x'])
    assert.deepEqual(await names(prefix), [], prefix);
  assert.deepEqual(await names('refs/', 0), []);
});

test('an entry is found by its path, from a commit or a tree', { skip }, async () => {
  const { commit, tree, inner, blob, empty } = ids;
  const cases = [
    ['', { mode: '040000', kind: 'tree', name: '', oid: tree }],
    ['README', { mode: '100644', kind: 'blob', name: 'README', oid: blob }],
    ['dir', { mode: '040000', kind: 'tree', name: 'dir', oid: inner }],
    ['dir/new\nline', { mode: '100644', kind: 'blob', name: 'new\nline', oid: blob }],
    [`dir/${LONG}`, { mode: '100644', kind: 'blob', name: LONG, oid: empty }],
    ['link', { mode: '120000', kind: 'symlink', name: 'link', oid: blob }],
    ['module', { mode: '160000', kind: 'commit', name: 'module', oid: '1'.repeat(40) }],
    ['ä', { mode: '100644', kind: 'blob', name: 'ä', oid: blob }],
  ] as const;
  for (const [path, entry] of cases)
    for (const from of [commit, tree])
      assert.deepEqual(await repository.findEntry(from, path), { ...entry, path });
  for (const path of [
    'nothing',
    'README/x',
    'dir/nothing',
    'module/x',
    'a\ufffd',
    '/README',
    'dir/../README',
    'dir/',
    'README\0',
  ])
    assert.equal(await repository.findEntry(commit, path), undefined, path);
  for (const from of [blob, ABSENT, 'main', '']) {
    assert.equal(await repository.findEntry(from, 'README'), undefined);
    assert.equal(await repository.findEntry(from, ''), undefined);
  }
  const entries = (await repository.readTree(tree))?.entries;
  assert.deepEqual(entries?.find(({ rawName }) => rawName)?.rawName, NOT_UTF8);
});

test('objects that are absent or of another type are undefined', { skip }, async () => {
  const { commit, tree, blob, tag } = ids;
  for (const oid of [ABSENT, 'main', '', `${blob}\ninfo ${blob}`, '-h']) {
    for (const read of ['readCommit', 'readTree', 'readTag', 'readBlob', 'readInfo'] as const)
      assert.equal(await repository[read](oid), undefined, `${read} ${oid}`);
    if (oid !== ABSENT) assert.throws(() => repository.streamBlob(oid));
  }
  assert.equal(await repository.readCommit(tree), undefined);
  assert.equal(await repository.readTree(commit), undefined);
  assert.equal(await repository.readTag(commit), undefined);
  assert.equal(await repository.readBlob(tree), undefined);
  assert.equal((await repository.readTag(tag))?.name, 'v1');
  await assert.rejects(Array.fromAsync(repository.streamBlob(ABSENT)), GitError);
});

test('small blobs are read at once, larger ones say their size and are streamed', { skip }, async () => {
  const { blob, empty, large } = ids;
  assert.deepEqual(await repository.readBlob(blob), { size: 6, content: Buffer.from('hello\n') });
  assert.deepEqual(await repository.readBlob(blob, 5), { size: 6 });
  assert.deepEqual(await repository.readBlob(empty), { size: 0, content: Buffer.alloc(0) });
  assert.deepEqual(await repository.readBlob(large, Infinity), { size: 1_500_000 });
  const streamed = Buffer.concat(await Array.fromAsync(repository.streamBlob(large)));
  assert.ok(streamed.equals(Buffer.alloc(1_500_000, 'abc')));
});

test('an object that was read in one repository is absent in another', { skip }, async () => {
  const other = await server.git.createRepository(11, 'main');
  assert.ok(await repository.readBlob(ids.blob));
  assert.equal(await other.readBlob(ids.blob), undefined);
  assert.equal(await other.readInfo(ids.blob), undefined);
  assert.equal(await other.findEntry(ids.commit, 'README'), undefined);
});

test('objects that are added after a read are seen, also from a new pack', { skip }, async () => {
  const growing = await server.git.createRepository(12, 'main');
  const first = await addBlob(growing, 'first');
  assert.ok(await growing.readBlob(first));
  const later = await addBlob(growing, 'later');
  assert.equal((await growing.readBlob(later))?.size, 5);
  const { stdout: pack } = await repository.services.program.run(['pack-objects', '--stdout', '-q'], {
    folder: repository.folder,
    input: `${ids.large}\n`,
    timeoutMs: 60_000,
    maxOutput: 10_000_000,
  });
  assert.equal(await growing.readInfo(ids.large), undefined);
  await runIn(growing, ['index-pack', '--stdin'], pack);
  assert.equal((await growing.readInfo(ids.large))?.size, 1_500_000);
});

test('a damaged object is an error, and others are still read', { skip }, async () => {
  const damaged = await server.git.createRepository(13, 'main');
  const good = await addBlob(damaged, 'good');
  const bad = 'dead'.repeat(10);
  await mkdir(join(damaged.folder, 'objects', bad.slice(0, 2)), { recursive: true });
  await writeFile(join(damaged.folder, 'objects', bad.slice(0, 2), bad.slice(2)), 'no object');
  const reads = await Promise.allSettled([
    damaged.readInfo(good),
    damaged.readBlob(bad),
    damaged.readBlob(good),
  ]);
  assert.equal(reads[0].status, 'fulfilled');
  assert.ok(reads[1].status === 'rejected' || reads[1].value === undefined);
  assert.deepEqual(reads[2], { status: 'fulfilled', value: { size: 4, content: Buffer.from('good') } });
});

test('without git every use is refused in plain words, and the status says what is there', async () => {
  const installed = { path: '/usr/bin/git', version: '2.30.1', isSupported: false };
  for (const git of [
    new Git({ folder: '/nowhere', installed: undefined }),
    new Git({ folder: '/nowhere', installed }),
  ]) {
    assert.throws(() => git.repository(1), /Git is not installed on this server, or is older than 2\.38\./);
    await assert.rejects(git.createRepository(1, 'main'), isFailure('unavailable'));
    assert.equal(git.status().isAvailable, false);
    await git.close();
  }
  assert.match(
    new Git({ folder: '/nowhere', installed }).status().message,
    /Found: 2\.30\.1 at \/usr\/bin\/git/,
  );
  if (skip === false) assert.match(server.git.status().message, /^git \d+\.\d+/);
});

function isFailure(kind: string) {
  return (error: unknown) => error instanceof Failure && error.kind === kind;
}
