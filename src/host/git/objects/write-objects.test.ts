// What is stored with one change, and what is refused.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { git, needsGit, openTestRepository, program, somebody } from '../fixture-repository.ts';
import { buildBlob, buildCommit, buildTag, buildTree, type NewObject } from './new-object.ts';
import { writeObjects } from './write-objects.ts';

const blobs = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => buildBlob(Buffer.from(`${name} ${index}`)));
const treeOf = (objects: readonly NewObject[]) =>
  buildTree(objects.map(({ oid }, index) => ({ mode: '100644', name: `f${index}`, oid })));
const commitOf = (tree: string, parents: string[] = []) =>
  buildCommit({ tree, parents, author: somebody, committer: somebody, message: 'x' });

describe('objects of one change', needsGit, () => {
  const target = openTestRepositoryOrNone();
  const filesIn = (folder: string) => readdirSync(join(target.folder, 'objects', folder));
  const hasTemporary = () => [...filesIn(''), ...filesIn('pack')].some((name) => /tmp/.test(name));

  test('are stored in any order, with references among them', async () => {
    const files = blobs(3, 'small');
    const tree = treeOf(files);
    const commit = commitOf(tree.oid);
    const tag = buildTag({ object: commit.oid, type: 'commit', tag: 'v', tagger: somebody, message: '' });
    await writeObjects(target, [tag, commit, tree, ...files, files[0]!]);
    await writeObjects(target, [commitOf(tree.oid, [commit.oid]), tag]);
    assert.equal(git(target, 'cat-file', '-p', `${tag.oid}^{tree}:f2`), 'small 2');
  });

  test('become one pack when they are many or large', async () => {
    const many = blobs(300, 'many');
    const large = buildBlob(Buffer.alloc(9 * 1024 * 1024, 'large '));
    await writeObjects(target, [treeOf(many), ...many]);
    await writeObjects(target, [treeOf([large]), large]);
    assert.equal(filesIn('pack').filter((name) => name.endsWith('.idx')).length, 2);
    assert.equal(git(target, 'cat-file', '-s', large.oid), String(large.bytes.length));
    assert.equal(git(target, 'cat-file', '-p', `${treeOf(many).oid}:f299`), 'many 299');
    assert.ok(!hasTemporary());
  });

  test('are the same whatever their size', async () => {
    const sizes = [...Array(200).keys(), 20_000];
    const objects = sizes.map((size) => buildBlob(Buffer.alloc(size, `\xff\0${size} `, 'latin1')));
    await writeObjects(target, objects);
    const tree = treeOf(objects);
    await writeObjects(target, [tree]);
    // The checks of git compute all ids anew.
    git(target, 'fsck', '--strict', tree.oid);
    assert.equal(git(target, 'cat-file', '-s', objects.at(-1)!.oid), '20000');
  });

  const [missing] = blobs(1, 'missing');
  const refused: Record<string, () => NewObject[]> = {
    'a tree with an entry that does not exist': () => [treeOf([missing!])],
    'a commit with a parent that does not exist': () => [
      buildTree([]),
      commitOf(buildTree([]).oid, [missing!.oid]),
    ],
    'a commit whose tree is a blob': () => [blobs(1, 'b')[0]!, commitOf(blobs(1, 'b')[0]!.oid)],
    'a list of submodules that is a symbolic link': () => {
      const [link] = blobs(1, 'l');
      return [link!, buildTree([{ mode: '120000', name: '.gitmodules', oid: link!.oid }])];
    },
    'bytes that are no tree': () => [
      { ...buildTree([]), oid: '1'.repeat(40), bytes: Buffer.from('100644 ') },
    ],
  };
  for (const [what, objects] of Object.entries(refused)) {
    for (const padding of [0, 60]) {
      test(`with ${what} are refused${padding > 0 ? ' as a pack' : ''}, and nothing refers to them`, async () => {
        const isRefused = (error: unknown) => error instanceof Failure && error.kind === 'invalid';
        const list = [...objects(), ...blobs(padding, what)];
        await assert.rejects(writeObjects(target, list), isRefused);
        const ids = list.filter(({ type }) => type !== 'blob').map(({ oid }) => oid);
        const tree = buildTree([]).oid;
        for (const oid of ids) if (oid !== tree) assert.throws(() => git(target, 'cat-file', '-e', oid));
        assert.ok(!hasTemporary());
      });
    }
  }

  test('are refused above a size in all', async () => {
    const huge = { ...buildBlob(Buffer.alloc(0)), bytes: { length: 300 * 1024 * 1024 } as Buffer };
    await assert.rejects(writeObjects(target, [huge]), /Split it into several/);
  });

  test('leave no process, and the repository is sound', () => {
    assert.equal(program.processes, 0);
    git(target, 'fsck', '--strict', '--no-dangling');
  });
});

/** The body of a suite runs even where the suite is skipped. */
function openTestRepositoryOrNone() {
  return needsGit.skip === false ? openTestRepository() : { program, folder: '' };
}
