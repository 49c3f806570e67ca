// Differences of two trees as files with patches, and as text.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { diffFiles, streamCommitPatch, streamDiff, streamPatches, type DiffPage } from './diff.ts';
import {
  addCommit,
  buildFiles,
  git,
  needsGit,
  openTestRepository,
  program,
  somebody,
  type TestFiles,
} from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { buildCommit, buildTree, type NewObject } from '../objects/new-object.ts';
import { writeObjects } from '../objects/write-objects.ts';

const SUBMODULE = '5'.repeat(40);

describe('a diff', needsGit, () => {
  let target: GitTarget;
  before(() => {
    target = openTestRepository();
  });

  async function treeOf(files: TestFiles): Promise<string> {
    const objects: NewObject[] = [];
    const tree = buildFiles(files, objects);
    await writeObjects(target, objects);
    return tree;
  }
  async function diff(from: TestFiles, to: TestFiles, page?: DiffPage) {
    return diffFiles(target, { from: await treeOf(from), to: await treeOf(to) }, page);
  }
  async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
    return Buffer.concat(await Array.fromAsync(stream)).toString();
  }

  test('tells what happened to each file', async () => {
    const long = 'one\ntwo\nthree\nfour\nfive\n';
    const { files, total } = await diff(
      { edited: 'a\nb\n', gone: 'x\n', old: long, run: 'r', kind: 'k\n', data: Buffer.from([0, 1]) },
      {
        edited: 'a\nB\nc',
        'in/new': '1\n',
        'moved\n"ü"': `${long}six\n`,
        '100755 run': 'r',
        '120000 kind': 'target',
        data: Buffer.from([0, 2]),
        '160000 sub': SUBMODULE,
      },
    );
    const short = files.map((file) => [
      file.status,
      file.previousFilename ?? '',
      file.filename,
      file.additions,
      file.deletions,
    ]);
    assert.deepEqual(short, [
      ['modified', '', 'data', 0, 0],
      ['modified', '', 'edited', 2, 1],
      ['removed', '', 'gone', 0, 1],
      ['added', '', 'in/new', 1, 0],
      ['changed', '', 'kind', 1, 1],
      ['renamed', 'old', 'moved\n"ü"', 1, 0],
      ['changed', '', 'run', 0, 0],
      ['added', '', 'sub', 1, 0],
    ]);
    assert.deepEqual(total, { files: 8, additions: 6, deletions: 3 });
    const patches = Object.fromEntries(files.map(({ filename, patch }) => [filename, patch]));
    assert.deepEqual(patches, {
      data: undefined,
      edited: '@@ -1,2 +1,3 @@\n a\n-b\n+B\n+c\n\\ No newline at end of file',
      gone: '@@ -1 +0,0 @@\n-x',
      'in/new': '@@ -0,0 +1 @@\n+1',
      kind: '@@ -1 +0,0 @@\n-k\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file',
      'moved\n"ü"': '@@ -3,3 +3,4 @@ two\n three\n four\n five\n+six',
      run: undefined,
      sub: `@@ -0,0 +1 @@\n+Subproject commit ${SUBMODULE}`,
    });
    const modes = files.map(({ mode, isBinary }) => `${mode}${isBinary ? ' binary' : ''}`);
    assert.equal(modes.join(), '100644 binary,100644,undefined,100644,120000,100644,100755,160000');
    assert.equal(files[2]!.oid, undefined);
    assert.equal(files[3]!.oldOid, undefined);
    assert.equal(files[7]!.oid, SUBMODULE);
    assert.equal(files[1]!.changes, 3);
  });

  test('of the same trees is empty, and before a first commit everything is added', async () => {
    const tree = await treeOf({ a: '1\n', 'b/c': '' });
    assert.deepEqual((await diffFiles(target, { from: tree, to: tree })).files, []);
    const { files } = await diffFiles(target, { from: undefined, to: tree });
    assert.deepEqual(
      files.map(({ filename, status, patch }) => [filename, status, patch]),
      [
        ['a', 'added', '@@ -0,0 +1 @@\n+1'],
        ['b/c', 'added', undefined],
      ],
    );
  });

  test('is not misled by content and names that look like a diff', async () => {
    const content = 'diff --git a/x b/x\n@@ -1 +1 @@\n+++ b/x\n';
    const { files } = await diff(
      {},
      { 'a\ndiff --git b': content, '@@ -1 +1 @@': content, ':100644\t': '1\n', '1\t2\t': '2\n' },
    );
    assert.deepEqual(
      files.map(({ filename, additions, patch }) => [filename, additions, patch?.split('\n')[1]]),
      [
        ['1\t2\t', 1, '+2'],
        [':100644\t', 1, '+1'],
        ['@@ -1 +1 @@', 3, '+diff --git a/x b/x'],
        ['a\ndiff --git b', 3, '+diff --git a/x b/x'],
      ],
    );
  });

  test('replaces bytes that are not UTF-8', async () => {
    const [blob] = (await treeAndBlob('\xff')) as [NewObject, NewObject];
    const tree = buildTree([{ mode: '100644', name: Buffer.from([0x61, 0xff]), oid: blob.oid }]);
    await writeObjects(target, [tree]);
    const { files } = await diffFiles(target, { from: undefined, to: tree.oid });
    assert.equal(files[0]!.filename, 'a\ufffd');
    assert.match(files[0]!.patch!, /^\+\ufffd$/m);

    async function treeAndBlob(text: string): Promise<NewObject[]> {
      const objects: NewObject[] = [];
      buildFiles({ a: Buffer.from(text, 'latin1') }, objects);
      await writeObjects(target, objects);
      return objects;
    }
  });

  test('comes in pages, and counts all files on each', async () => {
    const to = Object.fromEntries(
      Array.from({ length: 310 }, (_, i) => [`f${String(i).padStart(3, '0')}`, `${i}\n`]),
    );
    // A file that changes its kind has two patches, so that those after it are counted right.
    const from = { f003: '3\n' };
    const files = { ...to, '120000 f003': 'x' } as TestFiles;
    delete files.f003;
    const first = await diff(from, files);
    assert.deepEqual([first.files.length, first.total.files, first.total.additions], [300, 310, 310]);
    const second = await diff(from, files, { skip: 300 });
    assert.deepEqual(
      second.files.map(({ filename, patch }) => `${filename} ${patch?.split('\n')[1]}`),
      Array.from({ length: 10 }, (_, i) => `f30${i} +30${i}`),
    );
    const inside = await diff(from, files, { skip: 2, limit: 3, hasPatches: true });
    assert.deepEqual(
      inside.files.map(({ patch }) => patch?.split('\n').slice(1).join()),
      ['+2', '-3,@@ -0,0 +1 @@,+x,\\ No newline at end of file', '+4'],
    );
    const bare = await diff(from, files, { limit: 1, hasPatches: false });
    assert.deepEqual([bare.files.length, bare.files[0]!.patch, bare.files[0]!.additions], [1, undefined, 1]);
    assert.deepEqual((await diff(from, files, { skip: 400 })).files, []);
  });

  test('leaves out patches that are too long, and keeps their counts', async () => {
    const { files } = await diff(
      {},
      {
        'a-lines': 'x\n'.repeat(3001),
        'b-bytes': `${'y'.repeat(103_000)}\n`,
        'c-endless': 'z'.repeat(3_000_000),
        'd-short': 'short\n',
      },
    );
    assert.deepEqual(
      files.map(({ filename, additions, patch }) => [filename, additions, patch]),
      [
        ['a-lines', 3001, undefined],
        ['b-bytes', 1, undefined],
        ['c-endless', 1, undefined],
        ['d-short', 1, '@@ -0,0 +1 @@\n+short'],
      ],
    );
  });

  test('leaves out patches when there are too many of them', async () => {
    const content = `${'x'.repeat(90_000)}\n`;
    const many = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`f${i}`, `${i}${content}`]));
    const { files } = await diff({}, many);
    const bytes = files.reduce((sum, { patch = '' }) => sum + patch.length, 0);
    assert.ok(bytes > 900_000 && bytes <= 1024 * 1024, String(bytes));
    assert.ok(files.every(({ additions }) => additions === 1));
  });

  test('of what is not there, or not an id, is refused', async () => {
    const tree = await treeOf({ a: '1' });
    await assert.rejects(diffFiles(target, { from: tree, to: '1'.repeat(40) }));
    for (const to of ['main', '--output=/tmp/x', ''])
      await assert.rejects(diffFiles(target, { from: tree, to }), Failure);
    assert.throws(() => streamDiff(target, { from: '-O/etc/passwd', to: tree }), Failure);
  });

  test('runs no program that attributes name', async () => {
    const trap = join(target.folder, 'trapped');
    const command = `touch '${trap}'; cat`;
    for (const key of ['diff.evil.command', 'diff.evil.textconv', 'diff.external', 'filter.evil.smudge'])
      git(target, 'config', key, command);
    appendFileSync(join(target.folder, 'info/attributes'), '* diff=evil filter=evil\n');
    const attributes = '* diff=evil filter=evil\n';
    const from = await addCommit(target, { '.gitattributes': attributes, f: '1\n' }, { branch: 'evil' });
    const to = await addCommit(
      target,
      { '.gitattributes': attributes, f: '2\n' },
      { branch: 'evil', parents: [from] },
    );
    assert.equal((await diffFiles(target, { from, to })).files[0]!.patch, '@@ -1 +1 @@\n-1\n+2');
    assert.match(await textOf(streamDiff(target, { from, to })), /^diff --git a\/f b\/f\n/);
    assert.match(await textOf(streamCommitPatch(target, to)), /\n\+2\n/);
    assert.match(await textOf(streamPatches(target, { base: from, head: to })), /\n\+2\n/);
    assert.ok(!existsSync(trap));
  });

  test('as mails can be of a first commit, a merge, and a range', async () => {
    const branch = 'mails';
    const first = await addCommit(target, { a: '1\n' }, { branch, message: 'First\n\nBody\n' });
    const author = { ...somebody, name: 'Bén\r' };
    const second = await addCommit(
      target,
      { a: '2\n' },
      { branch, parents: [first], message: 'Second', author },
    );
    const objects: NewObject[] = [];
    const tree = buildFiles({ a: '3\n' }, objects);
    const commit = { tree, parents: [second, first], author, committer: author, message: 'Merge\n' };
    const merge = buildCommit(commit);
    await writeObjects(target, [...objects, merge]);
    const root = await textOf(streamCommitPatch(target, first));
    assert.match(root, new RegExp(`^From ${first} .*\nFrom: Some Body <some@body.test>\n`));
    assert.match(root, /\nSubject: \[PATCH\] First\n\nBody\n---\n a \| 1 \+\n/);
    assert.match(
      await textOf(streamCommitPatch(target, merge.oid)),
      /Subject: \[PATCH\] Merge[^]*\n-2\n\+3\n/,
    );
    const range = await textOf(streamPatches(target, { base: first, head: merge.oid }));
    assert.equal(range.match(/^From [0-9a-f]{40} /gm)?.length, 1);
    assert.match(range, /\n-1\n\+2\n/);
  });

  test('that nobody reads to its end leaves no process', async () => {
    const tree = await treeOf({ big: 'line\n'.repeat(500_000) });
    for await (const chunk of streamDiff(target, { from: undefined, to: tree })) {
      assert.ok(chunk.length > 0);
      break;
    }
    assert.equal(program.processes, 0);
  });
});
