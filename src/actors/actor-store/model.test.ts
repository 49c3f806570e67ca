// How READMEs are summed up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { summarizeReadme } from './model.ts';

for (const [name, readme, summary] of [
  ['nothing', null, null],
  ['an empty one', '', null],
  ['a title alone', '# Title\n', null],
  ['the first paragraph', '# Title\n\nDoes a thing.\nAnd more.\n\nOther.', 'Does a thing. And more.'],
  ['text below its title', '# Title\nDoes a thing.', 'Does a thing.'],
  ['an underlined title', 'Title\n=====\n\nDoes a thing.', 'Does a thing.'],
  ['Windows line ends', '# Title\r\n\r\nDoes a thing.\r\n', 'Does a thing.'],
  [
    'links, pictures and marks',
    '![logo](x.png)\n\nDoes **a** [thing](https://a.test) by `code`.',
    'Does a thing by code.',
  ],
  [
    'lists, tables, quotes and code first',
    '- one\n- two\n\n| a |\n|---|\n\n> said\n\n```js\nx\n```\n\nDoes.',
    'Does.',
  ],
  ['bold text first', '**Does** a thing.', 'Does a thing.'],
  ['HTML first', '<p align="center">x</p>\n\nDoes.', 'Does.'],
] as const) {
  test(name, () => assert.equal(summarizeReadme(readme), summary));
}

test('a long paragraph is cut at a word', () => {
  const summary = summarizeReadme('word '.repeat(200))!;
  assert.ok(summary.length <= 300);
  assert.match(summary, /word…$/);
  assert.equal(summarizeReadme('x'.repeat(1000))!.length, 300);
});

test('hostile text takes little CPU time', async () => {
  for (const part of ['[', '![', '[]( ', '```\n', '~~~', '**', '# ', '\n\n', '[a](b', ' \t'])
    for (const readme of [part.repeat(300_000), `a${part.repeat(5000)}`]) {
      const cpuMs = await cpuMsOf(() => summarizeReadme(readme));
      assert.ok(cpuMs < 1000, `${JSON.stringify(part)}: ${cpuMs} ms`);
    }
});
