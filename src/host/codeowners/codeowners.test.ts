// CODEOWNERS: which rule decides about a file, what is wrong with a line, and that neither takes long, whatever the file contains.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { addCommit, needsGit, startGit, type TestGit } from '../git/fixture-repository.ts';
import { findOwnerRules } from './match.ts';
import { describeError, MAX_CODEOWNERS_ERRORS, parseCodeowners } from './parse.ts';
import { findCodeowners, MAX_CODEOWNERS_BYTES } from './read-codeowners.ts';

/** The line of the rule that decides, or undefined. */
async function lineFor(text: string, path: string): Promise<number | undefined> {
  const { rules } = await parseCodeowners(text);
  const [rule] = await findOwnerRules(rules, [path]);
  return rule?.line;
}

const MATCHES: [pattern: string, yes: string[], no: string[]][] = [
  ['*', ['a', 'a/b.c'], []],
  ['**', ['a', 'a/b'], []],
  ['*.js', ['a.js', 'x/y.js', 'x.js/inside'], ['a.jsx', 'js', 'a.js.map', 'A.JS']],
  ['*.test.js', ['a.test.js', 'x/.test.js'], ['a.js', 'test.js']],
  ['docs', ['docs', 'docs/a/b', 'x/docs/a', 'x/docs'], ['docs2', 'my-docs/a']],
  ['docs/', ['docs/a', 'docs/a/b', 'x/docs/a'], ['docs', 'x/docs']],
  ['/docs/', ['docs/a', 'docs/a/b'], ['docs', 'x/docs/a']],
  ['/docs', ['docs', 'docs/a'], ['x/docs']],
  ['docs/*', ['docs/a.md'], ['docs/a/b.md', 'x/docs/a.md', 'docs']],
  ['docs/**', ['docs/a', 'docs/a/b'], ['docs', 'x/docs/a']],
  ['docs/*/x', ['docs/a/x', 'docs/a/x/y'], ['docs/x', 'docs/a/b/x']],
  ['**/logs', ['logs', 'logs/a', 'a/b/logs/c', 'a/logs'], ['a/logs2']],
  ['/a/**/z', ['a/z', 'a/b/z', 'a/b/c/z/deep'], ['z', 'b/a/z', 'a/zz']],
  ['/*', ['a'], ['a/b']],
  ['/build/logs/', ['build/logs/a'], ['x/build/logs/a', 'build/logs']],
  ['apps/web', ['apps/web', 'apps/web/a'], ['x/apps/web']],
  ['a?c', ['abc', 'x/a-c'], ['ac', 'abbc', 'a/c']],
  ['*a?c*', ['xabcx', 'a-c'], ['ac']],
  ['*a*b*c', ['abc', 'xaxbxc', 'aabbcc'], ['acb', 'abcx']],
  ['a**b', ['ab', 'axxb'], ['a/b']],
  ['my\\ file', ['my file'], ['my', 'file', 'my\\ file']],
  ['\\*', ['*'], ['a']],
  ['Ünï/ö*', ['Ünï/öx'], ['ünï/öx']],
  ['/', [], ['a', 'a/b']],
];

describe('CODEOWNERS', () => {
  for (const [pattern, yes, no] of MATCHES)
    test(`the pattern ${pattern} means ${yes.join(', ') || 'nothing'}`, async () => {
      for (const path of yes) assert.equal(await lineFor(`${pattern} @a`, path), 1, path);
      for (const path of no) assert.equal(await lineFor(`${pattern} @a`, path), undefined, path);
    });

  test('the last rule that matches decides, and one without owners takes them away', async () => {
    const text = [
      '# everybody',
      '* @all',
      '*.js @js # not @comment',
      '/apps/ @org/team-1 docs@example.com',
      '',
      'apps/*.md',
      'apps @late',
      '/apps/github',
    ].join('\r\n');
    const { rules, errors } = await parseCodeowners(text);
    assert.deepEqual(errors, []);
    const paths = ['a', 'a.js', 'apps/x.js', 'apps/x.md', 'apps/github', 'apps/github/x', 'x/apps/y'];
    const found = await findOwnerRules(rules, paths);
    assert.deepEqual(
      found.map((rule) => rule?.line),
      [2, 3, 7, 7, 8, 8, 7],
    );
    assert.deepEqual(rules[2]?.owners, [
      { kind: 'team', name: 'org/team-1', column: 8 },
      { kind: 'email', name: 'docs@example.com', column: 20 },
    ]);
    assert.deepEqual(rules.at(-1)?.owners, []);
    assert.equal(await lineFor('/b @x\n*.md @y', 'b/a.md'), 2);
    assert.equal(await lineFor('*.md @y\n/b @x', 'b/a.md'), 2);
    assert.equal(await lineFor('a*z @y\nabz @x\na*z @late', 'abz'), 3);
  });

  test('wrong lines have no effect, and errors name their place', async () => {
    const text = ['***/*.rb @monalisa', '', '*.txt docs@', '  !keep @a', 'a[bc] @a', '\\# @a', 'x\\'].join(
      '\n',
    );
    const { rules, errors } = await parseCodeowners(text);
    assert.deepEqual(rules, []);
    assert.deepEqual(errors[0], {
      line: 1,
      column: 1,
      kind: 'Invalid pattern',
      source: '***/*.rb @monalisa',
      suggestion: 'Did you mean `**/*.rb`?',
      message: 'Invalid pattern on line 1: Did you mean `**/*.rb`?\n\n  ***/*.rb @monalisa\n  ^',
    });
    assert.deepEqual(errors[1], {
      line: 3,
      column: 7,
      kind: 'Invalid owner',
      source: '*.txt docs@',
      suggestion: null,
      message: 'Invalid owner on line 3:\n\n  *.txt docs@\n        ^',
    });
    assert.deepEqual(
      errors.slice(2).map(({ line, column, kind }) => [line, column, kind]),
      [4, 5, 6, 7].map((line) => [line, line === 4 ? 3 : 1, 'Invalid pattern']),
    );
    for (const owner of ['a', '@', '@-a', '@a/', '@a/b/c', 'a@', '@a@b', '@ä', 'a@b@c'])
      assert.equal((await parseCodeowners(`* ${owner}`)).errors[0]?.kind, 'Invalid owner', owner);
  });

  test('owners that nobody is are errors of the same form', async () => {
    const { rules } = await parseCodeowners('* @ghost');
    const [{ source, line, owners }] = rules as [(typeof rules)[number]];
    const error = describeError({
      line,
      column: owners[0]!.column,
      kind: 'Unknown owner',
      source,
      suggestion: 'make sure that @ghost exists.',
    });
    assert.equal(
      error.message,
      'Unknown owner on line 1: make sure that @ghost exists.\n\n  * @ghost\n    ^',
    );
  });

  test('errors and lines are shown in parts where there are too many, or too long ones', async () => {
    const many = await parseCodeowners('[ @a\n'.repeat(100_000));
    assert.equal(many.errors.length, MAX_CODEOWNERS_ERRORS);
    const wide = await parseCodeowners(`* ${'a '.repeat(16_000)}`);
    assert.equal(wide.errors.length, MAX_CODEOWNERS_ERRORS);
    const long = await parseCodeowners('x'.repeat(3_000_000));
    assert.equal(long.errors.length, 1);
    assert.ok(long.errors[0]!.message.length < 1000);
    const escaped = await parseCodeowners(`${'\\ '.repeat(16_000)} @a`);
    assert.equal(escaped.errors.length, 1);
  });

  test('hostile patterns take time that grows with their length only', async () => {
    const path = `${'a/'.repeat(300)}${'a'.repeat(250)}`;
    const hostile = ['*a'.repeat(500), '**/a/'.repeat(200), '**/*/'.repeat(200), `${'*a?'.repeat(300)}b`];
    const { rules } = await parseCodeowners(hostile.map((pattern) => `${pattern}b @a`).join('\n'));
    assert.equal(rules.length, hostile.length);
    const ms = await cpuMsOf(() =>
      findOwnerRules(
        rules,
        Array.from({ length: 20 }, () => path),
      ),
    );
    assert.ok(ms < 30_000, String(ms));
  });

  test('many rules of names cost little for each file', async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `/folder-${i}/ @a\n`).join('');
    const { rules } = await parseCodeowners(text);
    const paths = Array.from({ length: 3000 }, (_, i) => `folder-${i * 30}/x/y/file.ts`);
    const ms = await cpuMsOf(async () => {
      const found = await findOwnerRules(rules, paths);
      assert.equal(found[1]?.line, 31);
    });
    assert.ok(ms < 30_000, String(ms));
  });
});

describe('the file CODEOWNERS', needsGit, () => {
  let service: TestGit;
  before(async () => void (service = await startGit()));
  after(() => service.stop());

  test('is the first of three places that is a file, and has no effect above three megabytes', async () => {
    const repository = await service.git.createRepository(1, 'main');
    let branches = 0;
    const all = { '.github/CODEOWNERS': '1', CODEOWNERS: '2', 'docs/CODEOWNERS': '3' };
    const found = async (files: Record<string, string>) => {
      const commit = await addCommit(repository, files, { branch: `b${(branches += 1)}` });
      return await findCodeowners(repository, commit);
    };
    assert.equal((await found(all))?.text, '1');
    assert.equal((await found({ CODEOWNERS: '2', 'docs/CODEOWNERS': '3' }))?.path, 'CODEOWNERS');
    assert.equal((await found({ 'docs/CODEOWNERS': '3' }))?.path, 'docs/CODEOWNERS');
    assert.equal(await found({ 'other/CODEOWNERS': '3' }), undefined);
    assert.equal((await found({ '120000 CODEOWNERS': 'docs/x', 'docs/CODEOWNERS': '3' }))?.text, '3');
    assert.equal((await found({ '.github/CODEOWNERS/x': '1', CODEOWNERS: '2' }))?.text, '2');
    const large = 'x'.repeat(MAX_CODEOWNERS_BYTES);
    assert.equal((await found({ CODEOWNERS: large }))?.text?.length, MAX_CODEOWNERS_BYTES);
    assert.equal((await found({ CODEOWNERS: `${large}x` }))?.text, undefined);
  });
});
