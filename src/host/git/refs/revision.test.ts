// Tests of the names of refs and paths, the former compared with git itself.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { supportedGit } from '../fixture-repository.ts';
import { isObjectId } from '../objects/object-id.ts';
import {
  isValidRefName,
  checkPath,
  checkRefName,
  isBranchName,
  readRevision,
  splitPath,
} from './revision.ts';

const GOOD_REFS = [
  'refs/heads/main',
  'refs/heads/a/b',
  'refs/heads/ä€😀',
  'refs/heads/-x',
  'refs/x/@',
  'refs/heads/a@b',
  'refs/heads/HEAD',
  'refs/heads/{',
  'refs/tags/v1\'"$;&|<>()!#%',
];
const BAD_REFS = [
  'refs/heads/',
  'refs//main',
  'refs/heads/.a',
  'refs/heads/a.',
  'refs/heads/a..b',
  'refs/heads/a.lock',
  'refs/heads/a.lock/b',
  'refs/heads/a b',
  'refs/heads/a~1',
  'refs/heads/a^',
  'refs/heads/a:b',
  'refs/heads/a?',
  'refs/heads/*',
  'refs/heads/[a',
  'refs/heads/a\\b',
  'refs/heads/a@{1}',
  'refs/heads/a\nb',
  'refs/heads/a\x7f',
  '/refs/heads/a',
  'refs/heads/a/',
  'main',
  '@',
  '',
  '-',
];

test('the names of refs are those that git allows', async (t) => {
  for (const name of GOOD_REFS) assert.ok(isValidRefName(name), name);
  for (const name of BAD_REFS) assert.ok(!isValidRefName(name), name);
  const installed = await supportedGit();
  if (installed === undefined) return t.skip('git 2.38 or newer is not installed');
  const isGood = (name: string) => {
    try {
      execFileSync(installed.path, ['check-ref-format', name], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  assert.deepEqual(GOOD_REFS.filter(isGood), GOOD_REFS);
  assert.deepEqual(BAD_REFS.filter(isGood), []);
});

test('a ref is below refs/, not too long for a file, and well-formed', () => {
  for (const name of [
    'HEAD',
    'refs/heads',
    'a/b/c',
    `refs/heads/${'x'.repeat(241)}`,
    `refs/${'a/'.repeat(600)}b`,
    'refs/heads/\ud800',
    'refs/heads/\0',
  ])
    assert.ok(!isValidRefName(name), name);
  assert.ok(isValidRefName(`refs/heads/${'x'.repeat(240)}`));
  assert.throws(
    () => checkRefName('refs/heads/a b'),
    (error) => error instanceof Failure && error.kind === 'invalid',
  );
  checkRefName('refs/heads/a');
});

test('a branch is not named like an option or HEAD', () => {
  assert.deepEqual(['main', 'a/b', '-a', '--upload-pack=x', 'HEAD', 'a b', ''].filter(isBranchName), [
    'main',
    'a/b',
  ]);
});

test('a revision is a branch, a tag, a full name or an object id, and nothing of git’s other syntax', () => {
  assert.deepEqual(readRevision('main'), { refs: ['refs/heads/main', 'refs/tags/main'] });
  assert.deepEqual(readRevision('heads/main').refs, [
    'refs/heads/heads/main',
    'refs/tags/heads/main',
    'refs/heads/main',
  ]);
  assert.equal(readRevision('refs/heads/main').refs[0], 'refs/heads/main');
  assert.deepEqual(readRevision('HEAD'), { refs: ['HEAD'] });
  assert.deepEqual(readRevision('BEEF'), { refs: ['refs/heads/BEEF', 'refs/tags/BEEF'], hex: 'beef' });
  assert.equal(readRevision('abc').hex, undefined);
  assert.equal(readRevision('a'.repeat(41)).hex, undefined);
  for (const text of [
    'main~1',
    'main^',
    'main@{1}',
    '@{u}',
    ':/fix',
    'main:a',
    'a..b',
    '',
    'main\nabcd',
    '../../config',
    '^main',
  ])
    assert.deepEqual(readRevision(text), { refs: [] }, text);
});

test('an object id has forty small hex digits', () => {
  const id = '0123456789abcdef0123456789abcdef01234567';
  assert.deepEqual(
    [id, id.slice(1), `${id}0`, id.toUpperCase(), `${id}\n`, `-${id.slice(1)}`].filter(isObjectId),
    [id],
  );
});

test('a path has parts that are neither empty nor dots', () => {
  assert.deepEqual(splitPath(''), []);
  assert.deepEqual(splitPath('a/b c/...'), ['a', 'b c', '...']);
  assert.deepEqual(splitPath('a\nb'), ['a\nb']);
  for (const path of [
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    'a/..',
    '../a',
    'a/./b',
    'a\0b',
    '\udc00',
    'x'.repeat(4097),
  ])
    assert.equal(splitPath(path), undefined, path);
});

test('a path that is written never means .git', () => {
  for (const path of [
    '.gitignore',
    '.github/a',
    'a.git',
    'git',
    '.git-a',
    'git~2',
    'a/.gitmodules',
    '-a',
    'ä',
  ])
    checkPath(path);
  const bad = [
    '',
    '/a',
    '.git',
    'a/.git/b',
    '.GIT',
    '.Git/config',
    '.git.',
    '.git ',
    '.git . .',
    'git~1',
    'GIT~1/a',
    '.g\u200cit',
    '\ufeff.git',
    '.gi\u206at',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    'a\\.git\\b',
    '.git\\config',
  ];
  for (const path of bad)
    assert.throws(
      () => checkPath(path),
      (error) => error instanceof Failure && error.kind === 'invalid',
      path,
    );
});
