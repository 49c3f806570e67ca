// The lines of a difference, as git prints them and as the patches of files number them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFiles, needsGit, openTestRepository, type TestFiles } from '../fixture-repository.ts';
import type { NewObject } from '../objects/new-object.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { GitLimitExceeded } from '../process/process-limits.ts';
import { diffFiles } from './diff.ts';
import { listChangedFiles, walkPatches, type PatchHunk, type PatchLine } from './patch-lines.ts';

describe('the lines of a difference', needsGit, () => {
  const target = openTestRepository();
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

  async function treeOf(files: TestFiles): Promise<string> {
    const objects: NewObject[] = [];
    const tree = buildFiles(files, objects);
    await writeObjects(target, objects);
    return tree;
  }

  async function sidesOf(before: TestFiles, after: TestFiles) {
    return { from: await treeOf(before), to: await treeOf(after) };
  }

  async function linesOf(before: TestFiles, after: TestFiles, paths: string[], context = 3) {
    const sides = await sidesOf(before, after);
    const lines: Record<string, PatchLine[]> = {};
    const hunks: PatchHunk[] = [];
    await walkPatches(
      target,
      sides,
      { paths, context },
      {
        hunk: (_name, hunk) => void hunks.push(hunk),
        line: (name, line) => void (lines[name] ??= []).push(line),
      },
    );
    return { lines, hunks, sides };
  }

  test('have the positions that they have in the patch of their file', async () => {
    const old = numbered(40);
    const now = old.with(1, 'second').toSpliced(30, 1, 'a', 'b');
    const { lines, hunks, sides } = await linesOf(
      { 'a b.txt': `${old.join('\n')}\n`, other: 'x\n', 'ü"\n': 'x' },
      { 'a b.txt': now.join('\n'), other: 'y\n', 'ü"\n': 'y' },
      ['a b.txt', 'ü"\n'],
    );
    assert.deepEqual(Object.keys(lines), ['a b.txt', 'ü"\n']);
    const { files } = await diffFiles(target, sides);
    for (const [name, found] of Object.entries(lines)) {
      const patch = files.find(({ filename }) => filename === name)!.patch!.split('\n');
      for (const { position, text } of found) assert.equal(patch[position], text);
    }
    const at = (text: string) => lines['a b.txt']!.find((line) => line.text === text);
    assert.deepEqual(at('-line 2'), { position: 2, oldLine: 2, newLine: undefined, text: '-line 2' });
    assert.deepEqual(at('+b'), { position: 13, oldLine: undefined, newLine: 32, text: '+b' });
    assert.deepEqual(
      hunks.map(({ oldStart, oldCount, newStart, newCount }) => [oldStart, oldCount, newStart, newCount]),
      [
        [1, 5, 1, 5],
        [28, 7, 28, 8],
        [37, 4, 38, 4],
        [1, 1, 1, 1],
      ],
    );
  });

  test('of a renamed file and of one that became a link go on counting', async () => {
    const text = `${numbered(20).join('\n')}\n`;
    const { lines } = await linesOf(
      { old: text, kind: 'k\n', data: Buffer.from([0, 1]) },
      { new: text.replace('line 3\n', 'third\n'), '120000 kind': 'target', data: Buffer.from([0, 2]) },
      ['new', 'old', 'kind', 'data'],
    );
    assert.deepEqual(Object.keys(lines), ['kind', 'new']);
    assert.deepEqual(
      lines['kind']!.map(({ position, text: one }) => [position, one]),
      [
        [1, '-k'],
        [3, '+target'],
      ],
    );
    assert.equal(lines['new']!.find(({ text: one }) => one === '+third')?.newLine, 3);
  });

  test('without context are those that changed alone', async () => {
    const { lines, hunks } = await linesOf({ a: 'x\ny\nz\n' }, { a: 'x\nY\nz\nend\n' }, ['a'], 0);
    assert.deepEqual(
      lines['a']!.map(({ text }) => text),
      ['-y', '+Y', '+end'],
    );
    assert.deepEqual(hunks[1], {
      header: '@@ -3,0 +4 @@ z',
      oldStart: 3,
      oldCount: 0,
      newStart: 4,
      newCount: 1,
    });
  });

  test('of nothing are none, and more than the limit are refused', async () => {
    assert.deepEqual((await linesOf({ a: 'x' }, { a: 'y' }, [])).lines, {});
    const much = `${'x'.repeat(1023)}\n`.repeat(9 * 1024);
    const files = { a: much, b: `b${much}` };
    await assert.rejects(linesOf({}, files, Object.keys(files)), GitLimitExceeded);
  });

  test('belong to files that are found by their names', async () => {
    const sides = await sidesOf(
      { a: 'x\n', gone: 'g', old: 'long\nlong\nlong\n' },
      { a: 'y\n', new: 'long\nlong\nlong\n' },
    );
    const files = await listChangedFiles(target, sides);
    assert.deepEqual(
      [...files.values()].map(({ filename, previousFilename }) => [filename, previousFilename]),
      [
        ['a', undefined],
        ['gone', undefined],
        ['new', 'old'],
      ],
    );
  });
});
