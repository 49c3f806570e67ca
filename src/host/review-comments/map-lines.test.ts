// Lines are followed from one commit to another.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFiles, needsGit, openTestRepository } from '../git/fixture-repository.ts';
import type { NewObject } from '../git/objects/new-object.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import { mapLines } from './map-lines.ts';

describe('a line of a file', needsGit, () => {
  const target = openTestRepository();
  const textOf = (lines: readonly (string | number)[]) => lines.map((line) => `${line}\n`).join('');

  async function mapped(before: readonly (string | number)[], after: readonly (string | number)[]) {
    const objects: NewObject[] = [];
    const from = buildFiles({ a: textOf(before), same: 's\n' }, objects);
    const to = buildFiles({ a: textOf(after), same: 's\n', more: 'm\n' }, objects);
    await writeObjects(target, objects);
    const map = await mapLines(target, { from, to }, ['a', 'same', 'none']);
    assert.equal(map('same', 1), 1);
    return before.map((_line, index) => map('a', index + 1));
  }

  test('moves with what is added and removed before it', async () => {
    assert.deepEqual(await mapped([1, 2, 3, 4], ['new', 1, 2, 3, 4, 'end']), [2, 3, 4, 5]);
    assert.deepEqual(await mapped([1, 2, 3, 4], [1, 4]), [1, undefined, undefined, 2]);
    assert.deepEqual(await mapped([1, 2, 3, 4, 5], [1, 'x', 'y', 'z', 3, 5, 6]), [
      1,
      undefined,
      5,
      undefined,
      6,
    ]);
  });

  test('is gone where it is changed, with the whole file too', async () => {
    assert.deepEqual(await mapped([1, 2], ['one', 'two']), [undefined, undefined]);
    assert.deepEqual(await mapped([1, 2], [1, 2]), [1, 2]);
    assert.deepEqual(await mapped([1, 2], []), [undefined, undefined]);
  });
});
