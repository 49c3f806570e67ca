// How large trees are when they are listed: in time that depends on the trees, and not on the paths.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache } from '../../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../../kernel/failure.ts';
import { buildTreeBomb } from '../fixture-repository.ts';
import { buildTree, type NewObject } from './new-object.ts';
import { TreeMeasure, type Expansion } from './tree-expansion.ts';

function sourceOf(objects: readonly NewObject[]) {
  const trees = new Map(objects.map(({ oid, bytes }) => [oid, bytes]));
  let reads = 0;
  return {
    known: new BoundedCache<string, Expansion>({ max: 5 }),
    async *read(oids: readonly string[]) {
      reads += oids.length;
      for (const oid of oids) {
        const bytes = trees.get(oid);
        if (bytes !== undefined) yield await Promise.resolve({ oid, bytes });
      }
    },
    get reads() {
      return reads;
    },
  };
}

const isRefused = (error: unknown) => error instanceof Failure && error.kind === 'invalid';

test('a tree is counted with all that is below it', async () => {
  const objects: NewObject[] = [];
  const root = buildTreeBomb(3, 10, objects);
  const [measured] = await new TreeMeasure(sourceOf(objects)).measure([root]);
  // Names of two letters, on three levels.
  const pathBytes = 10 * 2 + 100 * 5 + 1000 * 8;
  assert.deepEqual(measured, { entries: 10 + 100 + 1000, pathBytes, depth: 2 });
});

test('a tree of more entries than stars in the sky is refused after each tree was read once', async () => {
  const objects: NewObject[] = [];
  const root = buildTreeBomb(30, 100, objects);
  const source = sourceOf(objects);
  await assert.rejects(new TreeMeasure(source).measure([root]), isRefused);
  assert.equal(source.reads, 30);
});

test('folders in folders are refused beyond a depth, and long paths beyond a sum', async () => {
  const deep: NewObject[] = [];
  const deepest = buildTreeBomb(1002, 1, deep);
  await assert.rejects(new TreeMeasure(sourceOf(deep)).measure([deepest]), isRefused);
  const objects: NewObject[] = [];
  let oid = buildTreeBomb(5, 10, objects);
  for (let level = 0; level < 5; level += 1) {
    const tree = buildTree([{ mode: '040000', name: 'x'.repeat(4000), oid }]);
    objects.push(tree);
    oid = tree.oid;
  }
  await assert.rejects(new TreeMeasure(sourceOf(objects)).measure([oid]), isRefused);
});

test('a folder that is not there has no entries', async () => {
  const tree = buildTree([{ mode: '040000', name: 'gone', oid: '1'.repeat(40) }]);
  const [measured] = await new TreeMeasure(sourceOf([tree])).measure([tree.oid]);
  assert.deepEqual(measured, { entries: 1, pathBytes: 4, depth: 1 });
});
