// Lines are found in the changes of files, with the part of the patch that ends with them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFiles, needsGit, openTestRepository, type TestFiles } from '../git/fixture-repository.ts';
import type { NewObject } from '../git/objects/new-object.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import { findLines, isLineOf, type WantedLine } from './find-lines.ts';

describe('lines of changes', needsGit, () => {
  const target = openTestRepository();

  async function find(
    before: TestFiles,
    after: TestFiles,
    wanted: readonly WantedLine[],
    files: string[] = [],
  ) {
    const objects: NewObject[] = [];
    const sides = { from: buildFiles(before, objects), to: buildFiles(after, objects) };
    await writeObjects(target, objects);
    return await findLines(target, sides, wanted, files);
  }

  test('are found by number and by position, on both sides', async () => {
    const path = 'a b';
    const addresses = [
      { side: 'LEFT', line: 2 },
      { side: 'RIGHT', line: 2 },
      { side: 'LEFT', line: 3 },
      { side: 'RIGHT', line: 9 },
      { position: 1 },
      { position: 0 },
    ] as const;
    const wanted = addresses.map((at) => ({ path, at }));
    const found = await find({ [path]: '1\n2\n3\n' }, { [path]: '1\ntwo\n3\n' }, wanted);
    assert.deepEqual(
      addresses.map((at) => {
        const line = found.lineAt(path, at);
        return line && [line.side, line.line, line.position, line.text];
      }),
      [
        ['LEFT', 2, 2, '2'],
        ['RIGHT', 2, 3, 'two'],
        ['LEFT', 3, 4, '3'],
        undefined,
        ['RIGHT', 1, 1, '1'],
        undefined,
      ],
    );
    const end = found.lineAt(path, { side: 'RIGHT', line: 2 })!;
    assert.equal(end.diffHunk, '@@ -1,3 +1,3 @@\n 1\n-2\n+two');
    assert.equal(isLineOf(end.diffHunk, end), true);
    assert.equal(isLineOf(end.diffHunk, { ...end, text: 'tw' }), false);
  });

  test('of a renamed file have its new name, and files that did not change are not there', async () => {
    const text = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('');
    const at = { side: 'RIGHT', line: 1 } as const;
    const found = await find({ old: text, same: 's\n' }, { new: `first\n${text}`, same: 's\n' }, [
      { path: 'new', at },
      { path: 'old', at },
      { path: 'same', at },
    ]);
    assert.deepEqual([...found.paths], ['new']);
    assert.equal(found.lineAt('new', at)?.text, 'first');
    assert.deepEqual([...(await find({ a: '1' }, { a: '2' }, [], ['a', 'b'])).paths], ['a']);
  });

  test('of a long hunk come with the last lines before them, and a long line is cut', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`);
    const long = 'x'.repeat(100_000);
    const at = { side: 'RIGHT', line: 4000 } as const;
    const wanted = ['many', 'long'].map((path) => ({ path, at: path === 'long' ? { ...at, line: 2 } : at }));
    const found = await find({}, { many: lines.join('\n'), long: `1\n${long}\n` }, wanted);
    const end = found.lineAt('many', at)!;
    const hunk = end.diffHunk.split('\n');
    assert.deepEqual(
      [hunk.length, hunk[0], hunk[1], hunk.at(-1)],
      [201, '@@ -0,0 +1,5000 @@', '+line 3801', '+line 4000'],
    );
    const cut = found.lineAt('long', { side: 'RIGHT', line: 2 })!;
    assert.ok(cut.diffHunk.length < 17_000);
    for (const line of [end, cut]) assert.equal(isLineOf(line.diffHunk, line), true);
  });
});
