// The references of a scan: grouped by flag, and joined again by file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinReferences, readScan } from './scan.ts';

const hunk = (line: number, flagKey: string, extra: object = {}) => ({
  startingLineNumber: line,
  projKey: 'shop',
  flagKey,
  ...extra,
});

test('hunks are counted by project and flag, and by file', async () => {
  const { flags, fileCount, hunkCount } = await readScan([
    { path: 'a.ts', hunks: [hunk(1, 'x'), hunk(2, 'y'), hunk(3, 'x')] },
    { path: 'b.ts', hunks: [hunk(1, 'x')] },
  ]);
  assert.deepEqual([fileCount, hunkCount], [2, 4]);
  assert.deepEqual(
    flags.map(({ flagKey, fileCount: files, hunkCount: hunks }) => [flagKey, files, hunks]),
    [
      ['x', 2, 3],
      ['y', 1, 1],
    ],
  );
});

test('what was read comes back by path and line, with any text in it', async () => {
  const lines = 'a\0"\\\u2028é';
  const references = [
    { path: 'b.ts', hint: 'ts', hunks: [hunk(7, 'y'), hunk(3, 'x', { lines, aliases: ['z'] })] },
    { path: 'a.ts', hunks: [{ startingLineNumber: 1 }] },
  ];
  const { flags } = await readScan(references);
  assert.deepEqual(await joinReferences(flags), [
    references[1],
    { path: 'b.ts', hint: 'ts', hunks: [hunk(3, 'x', { lines, aliases: ['z'] }), hunk(7, 'y')] },
  ]);
});

test('a file that is named twice is one', async () => {
  const { flags, fileCount } = await readScan([
    { path: 'a.ts', hunks: [hunk(1, 'x')] },
    { path: 'a.ts', hunks: [hunk(2, 'x')] },
  ]);
  assert.equal(fileCount, 1);
  assert.equal(flags[0]!.fileCount, 1);
});

test('members that nobody knows are not stored', async () => {
  const { flags } = await readScan([{ path: 'a.ts', more: 1, hunks: [hunk(1, 'x', { more: 1 })] }]);
  assert.ok(!flags[0]!.doc.includes('more'));
});

test('the error names the place of the first problem', async () => {
  const wrong = [{ path: 'a.ts', hunks: [hunk(1, 'x'), hunk(-1, 'x')] }];
  await assert.rejects(readScan(wrong), /^Failure: references\.0\.hunks\.1\.startingLineNumber /);
});
