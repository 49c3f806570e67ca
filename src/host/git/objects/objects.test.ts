// Tests of the readers of trees, commits and tags.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommit, parseTag } from './commit-object.ts';
import { findInTree, parseTree } from './tree.ts';

const OID = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

function rawEntry(mode: string, name: string | Buffer, oid = OID): Buffer {
  return Buffer.concat([
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(oid, 'hex'),
  ]);
}

test('the entries of a tree have mode, kind, name and id', () => {
  const rows = [
    ['100644', 'blob', 'a file'],
    ['100755', 'blob', 'run'],
    ['100664', 'blob', 'old'],
    ['40000', 'tree', 'dir'],
    ['120000', 'symlink', 'link'],
    ['160000', 'commit', 'module'],
    ['100644', 'blob', 'new\nline'],
    ['100644', 'blob', 'ä€😀'],
    ['100644', 'blob', 'x'.repeat(5000)],
    ['100644', 'blob', 'real \ufffd'],
  ] as const;
  const tree = parseTree(OTHER, Buffer.concat(rows.map(([mode, , name]) => rawEntry(mode, name))));
  assert.deepEqual(
    tree.entries,
    rows.map(([mode, kind, name]) => ({ mode: mode.padStart(6, '0'), kind, name, oid: OID })),
  );
  assert.equal(tree.oid, OTHER);
  for (const [index, [, , name]] of rows.entries()) assert.equal(findInTree(tree, name), tree.entries[index]);
  assert.equal(findInTree(tree, 'absent'), undefined);
  assert.deepEqual(parseTree(OID, Buffer.alloc(0)).entries, []);
});

test('a name that is not UTF-8 is decoded with replacements, keeps its bytes, and is not found by them', () => {
  const rawName = Buffer.from([0x61, 0xff, 0x62]);
  const tree = parseTree(OID, rawEntry('100644', rawName));
  assert.deepEqual(tree.entries, [{ mode: '100644', kind: 'blob', name: 'a\ufffdb', rawName, oid: OID }]);
  assert.equal(findInTree(tree, 'a\ufffdb'), undefined);
});

test('a damaged tree is an error', () => {
  const whole = rawEntry('100644', 'a');
  for (const bytes of [
    whole.subarray(0, -1),
    Buffer.from('x'),
    Buffer.from('100644 a'),
    Buffer.concat([Buffer.from('1'), whole]),
  ])
    assert.throws(() => parseTree(OID, bytes), /is damaged/);
});

const PERSON = 'Ada L <ada@example.com> 1700000000 +0130';

test('a commit has tree, parents, persons and message', () => {
  const raw = `tree ${OID}\nparent ${OTHER}\nparent ${OID}\nauthor ${PERSON}\ncommitter B <> 1 -0700\n\nTitle\n\nBody ä\n`;
  assert.deepEqual(parseCommit(OTHER, Buffer.from(raw)), {
    oid: OTHER,
    tree: OID,
    parents: [OTHER, OID],
    author: { name: 'Ada L', email: 'ada@example.com', time: 1_700_000_000_000, zone: 90 },
    committer: { name: 'B', email: '', time: 1000, zone: -420 },
    message: 'Title\n\nBody ä\n',
  });
});

test('a signed commit has its signature, and the payload without it', () => {
  const head = `tree ${OID}\nauthor ${PERSON}\ncommitter ${PERSON}\n`;
  const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----';
  const raw = `${head}gpgsig ${signature.replaceAll('\n', '\n ')}\nx-other 1\n\nmessage`;
  const { signed, message } = parseCommit(OID, Buffer.from(raw));
  assert.deepEqual(signed, { signature, payload: `${head}x-other 1\n\nmessage` });
  assert.equal(message, 'message');
});

test('a commit in another encoding is decoded, and an unknown encoding is read as UTF-8', () => {
  const commitIn = (encoding: string, bytes: Buffer) =>
    parseCommit(OID, Buffer.concat([Buffer.from(`tree ${OID}\nencoding ${encoding}\n\n`), bytes]));
  assert.equal(commitIn('ISO-8859-1', Buffer.from([0xe4])).message, 'ä');
  assert.equal(commitIn('ISO-8859-1', Buffer.from([0xe4])).encoding, 'ISO-8859-1');
  assert.equal(commitIn('klingon', Buffer.from('ä')).message, 'ä');
  assert.equal(parseCommit(OID, Buffer.from([0x0a, 0xff])).message, '\ufffd');
});

test('broken commits and tags give empty fields, not errors', () => {
  const nobody = { name: '', email: '', time: 0, zone: 0 };
  for (const raw of ['', '\n', 'tree', 'tree \n', '\n\n', ' x', 'author', '\0\0', 'gpgsig', `tree ${OID}`]) {
    const commit = parseCommit(OID, Buffer.from(raw));
    assert.deepEqual([commit.parents, commit.author, commit.committer], [[], nobody, nobody], raw);
    assert.equal(parseTag(OID, Buffer.from(raw)).tagger, undefined);
  }
  const persons = [
    ['A', { ...nobody, name: 'A' }],
    ['A <a@b', { ...nobody, name: 'A <a@b' }],
    ['A> <a@b> x', { ...nobody, name: 'A>', email: 'a@b' }],
    ['A <a<b>c> 5', { ...nobody, name: 'A', email: 'a<b>c', time: 5000 }],
    ['A <a> -5 +9999', { name: 'A', email: 'a', time: -5000, zone: 99 * 60 + 99 }],
    [`A <a> ${'9'.repeat(400)} +0000`, { ...nobody, name: 'A', email: 'a' }],
    ['<>', nobody],
    ['A <a> 1 -0000', { name: 'A', email: 'a', time: 1000, zone: 0 }],
  ] as const;
  for (const [text, person] of persons)
    assert.deepEqual(parseCommit(OID, Buffer.from(`author ${text}\n\n`)).author, person, text);
});

test('a tag has its target, name, tagger, message and signature', () => {
  const head = `object ${OTHER}\ntype commit\ntag v1\ntagger ${PERSON}\n\n`;
  const tag = parseTag(OID, Buffer.from(`${head}First\n`));
  assert.deepEqual(tag, {
    oid: OID,
    target: OTHER,
    targetType: 'commit',
    name: 'v1',
    tagger: { name: 'Ada L', email: 'ada@example.com', time: 1_700_000_000_000, zone: 90 },
    message: 'First\n',
  });
  const signature = '-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----\n';
  const signed = parseTag(OID, Buffer.from(`${head}First\n${signature}`));
  assert.deepEqual(signed.signed, { signature, payload: `${head}First\n` });
  assert.equal(signed.message, 'First\n');
});
