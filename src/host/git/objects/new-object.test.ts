// New objects have the bytes and ids that git gives them, and none that git would refuse.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { needsGit, openTestRepository, somebody } from '../fixture-repository.ts';
import { parseTree } from './tree.ts';
import {
  buildBlob,
  buildCommit,
  buildLargeTree,
  buildTag,
  buildTree,
  spliceTree,
  type NewObject,
  type NewTreeEntry,
} from './new-object.ts';

const blob = buildBlob(Buffer.from('hello\n'));
const entry = (name: string | Buffer, mode: NewTreeEntry['mode'] = '100644'): NewTreeEntry => ({
  mode,
  name,
  oid: blob.oid,
});
const commit = (change: Partial<Parameters<typeof buildCommit>[0]> = {}): NewObject =>
  buildCommit({
    tree: buildTree([]).oid,
    parents: [],
    author: somebody,
    committer: somebody,
    message: 'x\n',
    ...change,
  });
const textOf = ({ bytes }: NewObject) => bytes.toString();
const isInvalid = (error: unknown) => error instanceof Failure && error.kind === 'invalid';

describe('a blob', () => {
  test('has the id that git computes', () => {
    assert.equal(blob.oid, 'ce013625030ba8dba906f756967f9e9ca394464a');
    assert.equal(buildBlob(Buffer.alloc(0)).oid, 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
  });
});

describe('a tree', () => {
  test('without entries is the empty tree', () => {
    assert.equal(buildTree([]).oid, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  });

  test('is sorted as git sorts: a folder as if its name ended with a slash', () => {
    const tree = buildTree([entry('a0'), entry('a', '040000'), entry('a.b'), entry('a-b')]);
    const names = tree.bytes.toString('latin1').match(/(?<=\d{5,6} )[a-z0-9.-]+(?=\0)/g);
    assert.deepEqual(names, ['a-b', 'a.b', 'a', 'a0']);
    assert.match(tree.bytes.toString('latin1'), /40000 a\0/);
  });

  test('has the same bytes where some of its entries change', () => {
    const names = ['a', 'a-b', 'a.b', 'a0', 'ab', 'b', 'z', 'ä', '\u{1f600}', '\uffee', ' ', '-'];
    const other = buildBlob(Buffer.from('other'));
    let seed = 1;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 500; round += 1) {
      const isIn = names.filter(() => random(2) === 0);
      const before = isIn.map((name) => entry(name, random(2) === 0 ? '040000' : '100644'));
      const edits = new Map(
        names
          .filter(() => random(4) === 0)
          .map((name) => [name, random(3) === 0 ? undefined : { mode: '100644' as const, oid: other.oid }]),
      );
      const after = before.filter(({ name }) => !edits.has(String(name)));
      for (const [name, edit] of edits) if (edit !== undefined) after.push({ ...edit, name });
      const { entries } = parseTree('', buildTree(before).bytes);
      assert.equal(spliceTree(entries, edits)!.oid, buildTree(after).oid);
    }
  });

  test('that git would not write so today is not changed in place', () => {
    const tree = (entries: readonly NewTreeEntry[]) => parseTree('', buildTree(entries).bytes).entries;
    const [one, two] = tree([entry('a'), entry('b')]);
    const refused = [
      [two!, one!],
      [one!, one!],
      [{ ...one!, mode: '100664' }],
      tree([entry(Buffer.from([0xff]))]),
      Array.from({ length: 5001 }, () => one!),
    ];
    for (const entries of refused) assert.equal(spliceTree(entries, new Map()), undefined);
    assert.throws(() => spliceTree([one!], new Map([['.git', entry('x')]])), isInvalid);
  });

  test('has the same bytes where it is built in slices', async () => {
    const many = Array.from({ length: 5001 }, (_, index) =>
      entry(String((index * 7919) % 5001), index % 3 === 0 ? '040000' : '100644'),
    );
    assert.deepEqual(await buildLargeTree(many), buildTree(many));
    assert.deepEqual(await buildLargeTree([]), buildTree([]));
    await assert.rejects(buildLargeTree([entry('a'), entry('a')]), isInvalid);
  });

  test('keeps names that are not UTF-8', () => {
    const tree = buildTree([entry(Buffer.from([0x66, 0xff, 0x0a, 0x22]))]);
    assert.ok(tree.bytes.includes(Buffer.from([0x20, 0x66, 0xff, 0x0a, 0x22, 0])));
  });

  const unsafe = [
    '',
    '.',
    '..',
    'a/b',
    '/a',
    'a\0b',
    '.git',
    '.GIT',
    '.Git',
    '.g\u200cit',
    '\ufeff.git',
    '.git\u202e',
    'git~1',
    'GIT~1',
    '.git.',
    '.git ',
    '.git. .',
    '.git::$INDEX_ALLOCATION',
    'git~1:x',
    'a\\.git',
    'a\\git~1\\b',
    'x'.repeat(4097),
  ];
  for (const name of unsafe) {
    test(`has no entry named ${JSON.stringify(name).slice(0, 40)}`, () => {
      assert.throws(() => buildTree([entry(name)]), isInvalid);
    });
  }

  test('may have names that only look like those', () => {
    for (const name of ['.gitignore', '.github', '...', 'git', 'git~2', '.git~1', 'a\\b', '-rf', ' ', 'a\nb'])
      assert.ok(buildTree([entry(name)]).bytes.length > 0, name);
  });

  test('has each name once, as a file or as a folder', () => {
    assert.throws(() => buildTree([entry('a'), entry('a', '040000')]), /two entries named "a"/);
    assert.throws(() => buildTree([entry('a'), entry(Buffer.from('a'))]), isInvalid);
  });

  test('has no other modes and ids than git writes', () => {
    for (const mode of ['100664', '40000', '0', '', '100644 x'])
      assert.throws(() => buildTree([entry('a', mode as '100644')]), isInvalid, mode);
    for (const oid of ['', 'g'.repeat(40), blob.oid.toUpperCase(), `${blob.oid}\n`, '0'.repeat(40)])
      assert.throws(() => buildTree([{ ...entry('a'), oid }]), isInvalid, oid);
  });
});

describe('a commit', () => {
  test('keeps its message as it is', () => {
    for (const message of ['', 'no newline', '\n\nlate\n\n', 'tree x\nparent y', 'ü\r\n'])
      assert.ok(textOf(commit({ message })).endsWith(` +0100\n\n${message}`), JSON.stringify(message));
  });

  test('has no names that add fields or headers', () => {
    const author = { ...somebody, name: ' <A>\nparent 1\0 ', email: 'a@b>\n<c' };
    assert.match(textOf(commit({ author })), /^author Aparent 1 <a@bc> 1700000000 \+0100$/m);
  });

  test('writes time zones as git does', () => {
    const zones = { 0: '+0000', 330: '+0530', [-210]: '-0330', 840: '+1400', [-30]: '-0030' };
    for (const [zone, text] of Object.entries(zones))
      assert.ok(textOf(commit({ author: { ...somebody, zone: Number(zone) } })).includes(` ${text}\n`), text);
  });

  test('is refused with an author, date or message that git cannot store', () => {
    for (const change of [
      { name: '<>' },
      { time: -1 },
      { time: Number.NaN },
      { time: 1e20 },
      { zone: 1440 },
      { zone: 0.5 },
    ])
      assert.throws(() => commit({ author: { ...somebody, ...change } }), isInvalid, JSON.stringify(change));
    assert.throws(() => commit({ message: 'a\0b' }), isInvalid);
    assert.throws(() => commit({ parents: ['--all'] }), isInvalid);
  });

  test('holds a signature as one header', () => {
    const text = textOf(commit({ signature: '-----BEGIN\n\nabc\n-----END\n' }));
    assert.match(text, /\ngpgsig -----BEGIN\n \n abc\n -----END\n\nx\n$/);
  });
});

describe('a tag', () => {
  test('is one that names its object and type', () => {
    const tag = { object: blob.oid, type: 'blob', tag: 'v1', tagger: somebody, message: 'm' } as const;
    assert.match(textOf(buildTag(tag)), /^object ce01\w+\ntype blob\ntag v1\ntagger Some Body <.*\n\nm$/);
    for (const name of ['', 'a b', 'a\ntagger x', '\0'])
      assert.throws(() => buildTag({ ...tag, tag: name }), isInvalid, JSON.stringify(name));
  });
});

test('git computes the same ids and accepts every kind of object', needsGit, () => {
  const { folder } = openTestRepository();
  const tree = buildTree([
    entry('a', '040000'),
    entry('a.b', '100755'),
    entry('link', '120000'),
    entry('sub', '160000'),
    entry(Buffer.from([0xff])),
    entry('new\nline'),
  ]);
  const objects = [
    blob,
    tree,
    commit({ tree: tree.oid, parents: ['1'.repeat(40), '2'.repeat(40)], signature: 'a\nb\n' }),
    buildTag({ object: tree.oid, type: 'tree', tag: 'v1', tagger: somebody, message: '' }),
  ];
  for (const { type, bytes, oid } of objects) {
    const args = [`--git-dir=${folder}`, 'hash-object', '-t', type, '--stdin'];
    assert.equal(execFileSync('git', args, { input: bytes, encoding: 'utf8' }).trim(), oid, type);
  }
});
