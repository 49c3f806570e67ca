// References in texts: what is one, what is none, and that hostile texts take linear time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { parseReferences } from './references.ts';
import { withoutCode } from './without-code.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';

function issuesIn(text: string): string[] {
  return parseReferences(text).issues.map(
    ({ repository = '', number, isClosing }) => `${repository}#${number}${isClosing ? '!' : ''}`,
  );
}

test('issues are named by their number, with or without a repository', () => {
  const found: Record<string, string[]> = {
    '#12': ['#12'],
    '(#1), #2. #3: #4;"#5" *#6* [#7]': ['#1', '#2', '#3', '#4', '#5', '#6', '#7'],
    'ada/tools#12 and ada/some.dotted-name_x#3': ['ada/tools#12', 'ada/some.dotted-name_x#3'],
    'See ada/tools#1, ADA/TOOLS#1 and #1 #1': ['ADA/TOOLS#1', '#1'],
    '#0 #012 #12a #12345678901 a#1 ##1 &#12; #': [],
    'x/y/z#1 /y#1 a/#1 -a/b#1 https://host.test/a/b#1': [],
    [`${'a'.repeat(101)}/b#1 a/${'b'.repeat(101)}#2`]: [],
  };
  for (const [text, expected] of Object.entries(found)) assert.deepEqual(issuesIn(text), expected, text);
});

test('words before a reference close the issue', () => {
  for (const word of [
    'close',
    'closes',
    'closed',
    'fix',
    'fixes',
    'fixed',
    'resolve',
    'resolves',
    'Resolved',
    'FIXES',
  ]) {
    for (const text of [`${word} #1`, `This ${word}: #1.`, `(${word} #1)`, `x\n${word}\n#1`])
      assert.deepEqual(issuesIn(text), ['#1!'], text);
    assert.deepEqual(issuesIn(`${word} ada/tools#1`), ['ada/tools#1!']);
  }
  for (const text of [
    'fixing #1',
    'prefixes #1',
    'un-fixes #1',
    'fixes#1',
    'fixes   #1',
    'fixes, #1',
    'fixes the #1',
    'xresolves #1',
  ])
    assert.deepEqual(issuesIn(text).join().includes('!'), false, text);
  assert.deepEqual(issuesIn('fixes #1, #2'), ['#1!', '#2']);
  assert.deepEqual(issuesIn('#1 … fixes #1'), ['#1!']);
});

test('mentions are names of accounts that stand by themselves', () => {
  const mentionsIn = (text: string) => parseReferences(text).mentions;
  assert.deepEqual(mentionsIn('@ada, @ben-b! (@cy) "@d1". Hi @eve.'), ['ada', 'ben-b', 'cy', 'd1', 'eve']);
  assert.deepEqual(mentionsIn('@Ada @ada'), ['ada']);
  assert.deepEqual(mentionsIn('a@b.test @a--b @-a @a- @a/team @ada.bot @@a a.@b \\`@c /@d @'), []);
  assert.deepEqual(mentionsIn(`@${'a'.repeat(40)}`), []);
});

test('commits are named by 40 hexadecimal digits, or by seven and more with letters and digits', () => {
  const commitsIn = (text: string) =>
    parseReferences(text).commits.map(({ repository = '', id }) => `${repository}@${id}`);
  assert.deepEqual(commitsIn(`${SHA} (abc1234) ada/tools@${SHA}`), [
    `@${SHA}`,
    '@abc1234',
    `ada/tools@${SHA}`,
  ]);
  assert.deepEqual(commitsIn(`1234567 defaced ${SHA}0 ABC1234 a/b/abc1234 abc1234.txt x=abc1234`), []);
  assert.deepEqual(commitsIn('123e4567-e89b-12d3-a456-426614174000'), []);
});

test('code and comments of HTML have no references', () => {
  const none = [
    '`#1`',
    '``a ` #1``',
    '```\n#1\n```',
    '~~~ js\n#1\n```\n#1\n~~~',
    '  - ```\n    #1\n    ```',
    '> ```\n> #1\n> ```',
    '```\n#1',
    '`a\n#1`',
    '<!-- fixes #1 -->',
    '<!-- \n\n#1',
    '````\n```\n#1\n````',
  ];
  for (const text of none) assert.deepEqual(issuesIn(text), [], text);
  const some = ['`a #1', '\\`#1\\`', '```a` #1', '`` #1`', '```\n```\n#1', '`a\n\n#1`', '--> #1'];
  for (const text of some) assert.deepEqual(issuesIn(text), ['#1'], text);
  assert.equal(withoutCode('a `b` c'), 'a ` c');
});

test('no more than a bounded number of references is found', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `#${index + 1} @a${index} abc${1000 + index}`).join(
    ' ',
  );
  const { issues, mentions, commits } = parseReferences(many);
  assert.deepEqual([issues.length, mentions.length, commits.length], [100, 50, 100]);
});

test('hostile texts take linear time', async () => {
  const parts = [
    'a',
    'a/',
    'a/b#',
    '#',
    '@',
    '@a-',
    '`',
    '` `` ',
    '\\`',
    '>',
    '- ',
    '1. ',
    ' ',
    '\n',
    '`\n',
    '```\n',
    '~~~',
    '<!--',
    '<!-- -->',
    'fixes ',
    'abcdef0',
    '0123456789abcdef',
    'a.b-c_',
    'a@',
    '\\',
    '- - - x\n',
    '\r',
  ];
  // Lengths of backticks that all differ, so that none has an end.
  const runs = Array.from({ length: 350 }, (_, index) => '`'.repeat(index + 1)).join(' ');
  for (const text of [...parts.map((part) => part.repeat(Math.ceil(65_536 / part.length))), runs]) {
    const ms = await cpuMsOf(async () => void parseReferences(text));
    assert.ok(ms < 1000, `${JSON.stringify(text.slice(0, 20))} takes ${ms} ms`);
  }
});

test('random texts of such parts are parsed, and never into what the text does not contain', () => {
  const parts = [
    '#1',
    'a/b',
    '@ada',
    '`',
    '```',
    '\n',
    ' ',
    'fixes ',
    SHA,
    'abc1234',
    '<!--',
    '-->',
    '>',
    'é',
  ];
  for (let round = 0; round < 2000; round += 1) {
    const length = 1 + Math.floor(Math.random() * 20);
    const text = Array.from({ length }, () => parts[Math.floor(Math.random() * parts.length)]).join('');
    const { issues, mentions, commits } = parseReferences(text);
    for (const { repository = '', number } of issues)
      assert.ok(text.includes(`${repository}#${number}`), text);
    for (const login of mentions) assert.ok(text.includes(`@${login}`), text);
    for (const { id } of commits) assert.ok(text.includes(id), text);
  }
});
