// Objects that this process writes by itself: git reads them, and refuses what it would have refused.
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { Failure } from '../../../kernel/failure.ts';
import { git, needsGit, somebody, startGit, type TestGit } from '../fixture-repository.ts';
import type { GitRepository } from '../repository.ts';
import { looseFileOf } from './loose-objects.ts';
import { buildBlob, buildCommit, buildTree, type NewObject, type NewTreeEntry } from './new-object.ts';
import { writeObjects } from './write-objects.ts';

const MISSING = '1'.repeat(40);
const blobOf = (text: string) => buildBlob(Buffer.from(text));
const commitOf = (tree: string, parents: string[] = []) =>
  buildCommit({ tree, parents, author: somebody, committer: somebody, message: 'x' });
const entryOf = (name: string, { oid }: NewObject, mode: NewTreeEntry['mode'] = '100644') => ({
  name,
  oid,
  mode,
});

describe('objects that are written without git', needsGit, () => {
  let server: TestGit;
  let repository: GitRepository;
  before(async () => {
    server = await startGit();
    repository = await server.git.createRepository(1, 'main');
  });
  after(() => server.stop());

  const fileOf = ({ oid }: NewObject) => join(repository.folder, 'objects', looseFileOf(oid));
  const hasTemporary = () =>
    readdirSync(join(repository.folder, 'objects'), { recursive: true }).some((name) =>
      String(name).includes('tmp'),
    );
  const isInvalid = (error: unknown) => error instanceof Failure && error.kind === 'invalid';
  /** Counts the processes that are started for `work`. */
  const processesOf = async (work: () => Promise<unknown>) => {
    const { program } = server.git.require();
    const start = program.start.bind(program);
    let count = 0;
    program.start = (...args) => {
      count += 1;
      return start(...args);
    };
    try {
      await work();
    } finally {
      program.start = start;
    }
    return count;
  };

  test('are what git itself would have written, of any size and in any order', async () => {
    const blobs = [0, 1, 127, 128, 129, 16_000, 17_000, 3_000_000].map((size) =>
      buildBlob(Buffer.alloc(size, `${size} `)),
    );
    const inner = buildTree(blobs.map((blob, index) => entryOf(`f${index}`, blob)));
    const root = buildTree([
      entryOf('dir', inner, '040000'),
      entryOf('ü', blobs[0]!),
      entryOf('run', blobs[1]!, '100755'),
    ]);
    const commit = commitOf(root.oid);
    await repository.readInfo(MISSING);
    assert.equal(await processesOf(() => writeObjects(repository, [commit, root, inner, ...blobs])), 0);
    git(repository, 'fsck', '--strict', commit.oid);
    assert.equal(git(repository, 'cat-file', '-s', `${commit.oid}:dir/f7`), '3000000');
    assert.equal(
      git(repository, 'cat-file', '-p', `${commit.oid}:dir/f2`),
      blobs[2]!.bytes.toString().trimEnd(),
    );
    assert.equal((statSync(fileOf(commit)).mode & 0o777).toString(8), '444');
    assert.ok(!hasTemporary());
    assert.deepEqual((await repository.readCommit(commit.oid))!.tree, root.oid);
  });

  test('become new where they are there already, and stay as they are', async () => {
    const blob = blobOf('once and again');
    await writeObjects(repository, [blob]);
    const bytes = readFileSync(fileOf(blob));
    utimesSync(fileOf(blob), 1, 1);
    await writeObjects(repository, [blob]);
    assert.ok(statSync(fileOf(blob)).mtimeMs > 1_000_000);
    assert.deepEqual(readFileSync(fileOf(blob)), bytes);
  });

  test('replace a file that is damaged, and never one with other content', async () => {
    const blob = blobOf('damaged by a disk');
    await writeObjects(repository, [blob]);
    chmodSync(fileOf(blob), 0o644);
    writeFileSync(fileOf(blob), 'no zlib');
    await writeObjects(repository, [blob]);
    assert.equal(git(repository, 'cat-file', '-p', blob.oid), 'damaged by a disk');
    chmodSync(fileOf(blob), 0o644);
    const other = deflateSync('blob 5\0other');
    writeFileSync(fileOf(blob), other);
    await assert.rejects(writeObjects(repository, [blob]), /same id and other content/);
    assert.deepEqual(readFileSync(fileOf(blob)), other);
    writeFileSync(fileOf(blob), deflateSync(`blob ${blob.bytes.length}\0damaged by a disk`));
  });

  test('are refused with references that lead nowhere or to another type', async () => {
    const blob = blobOf('a file');
    await writeObjects(repository, [blob]);
    const refused: Record<string, NewObject[]> = {
      'a missing file': [buildTree([{ mode: '100644', name: 'a', oid: MISSING }])],
      'a file as a folder': [buildTree([entryOf('a', blob, '040000')])],
      'a new file as a folder': [blobOf('new'), buildTree([entryOf('a', blobOf('new'), '040000')])],
      'a missing parent': [buildTree([]), commitOf(buildTree([]).oid, [MISSING])],
      'a file as the tree': [commitOf(blob.oid)],
      'a tree as the parent': [buildTree([]), commitOf(buildTree([]).oid, [buildTree([]).oid])],
    };
    for (const [what, objects] of Object.entries(refused)) {
      await assert.rejects(writeObjects(repository, objects), isInvalid, what);
      const last = objects.at(-1)!;
      assert.throws(() => git(repository, 'cat-file', '-e', last.oid), what);
    }
    assert.ok(!hasTemporary());
  });

  test('leave a repository that is sound', () => {
    git(repository, 'fsck', '--strict', '--no-dangling');
  });

  test('are left to git where it reads them itself: lists of submodules, submodules, and signed commits', async () => {
    const bad = blobOf('[submodule "../x"]\n\tpath = x\n\turl = -u./x\n');
    for (const name of ['.gitmodules', '.GITMODULES', '.gitmodules ', 'GITMOD~1', '.git\u200cmodules']) {
      const tree = buildTree([entryOf(name, bad)]);
      assert.equal(tree.links, undefined, name);
      await assert.rejects(writeObjects(repository, [bad, tree]), isInvalid, name);
    }
    for (const name of ['.github', '.gitignore', 'a.gitmodules', 'ä'])
      assert.notEqual(buildTree([entryOf(name, bad)]).links, undefined, name);
    const link = buildTree([entryOf('.gitmodules', blobOf('x'), '120000')]);
    await assert.rejects(writeObjects(repository, [blobOf('x'), link]), isInvalid);
    const submodule = buildTree([{ mode: '160000', name: 'sub', oid: MISSING }]);
    assert.equal(await processesOf(() => writeObjects(repository, [submodule])), 1);
    git(repository, 'cat-file', '-e', submodule.oid);
  });
});
