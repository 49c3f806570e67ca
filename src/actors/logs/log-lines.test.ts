import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { countLines, findMark, LineIndexer } from './line-index.ts';
import { levelOf } from './log-lines.ts';
import { normalizeText } from './normalize.ts';

test('levels are the words at the beginning of a line', () => {
  const levels: Record<string, string | undefined> = {
    'INFO  Crawler: Starting': 'INFO',
    'WARN: The disk is slow': 'WARN',
    'WARNING slow': 'WARN',
    '[apify.http] ERROR   failed': 'ERROR',
    'CRITICAL gone': 'ERROR',
    'DEBUG x': 'DEBUG',
    'ERRORS are counted': undefined,
    'an ERROR within': undefined,
    error: undefined,
    '': undefined,
  };
  for (const [line, level] of Object.entries(levels)) assert.equal(levelOf(line), level, line);
});

test('lines are alike without numbers, addresses, ids and times', () => {
  const alike: [string, string, string][] = [
    ['Page 12 took 3.5 s', 'Page 7 took 100 s', 'Page <n> took <n> s'],
    ['GET https://a.test/x?y=1 failed', 'GET http://b.test failed', 'GET <url> failed'],
    ['Run 8fK2aB3cD4eF5gH6i is over', 'Run 1fK2aB3cD4eF5gH6j is over', 'Run <id> is over'],
    [
      'At 2026-11-18T09:00:00.000Z by 6f1c2b3a-0000-4000-8000-1234567890ab',
      'At 2025-01-01 by 00000000-1111-2222-3333-444444444444',
      'At <time> by <id>',
    ],
  ];
  for (const [one, other, normal] of alike)
    assert.deepEqual([normalizeText(one), normalizeText(other)], [normal, normal]);
  assert.equal(normalizeText('Starting'), 'Starting');
});

test('a line that was made to be slow is normalised in time that grows with its length only', async () => {
  for (const part of ['a1', 'a', '1-', 'http://', '2026-11-18T'])
    assert.ok((await cpuMsOf(() => normalizeText(part.repeat(100_000)))) < 200, part);
});

test('an index finds a line by a mark at most a chunk before it, also behind a gap and in pieces cut anywhere', () => {
  const line = (number: number) => `line ${number} ${'x'.repeat(number % 50)}\n`;
  const text = Buffer.from(Array.from({ length: 20_000 }, (_, number) => line(number)).join(''));
  for (const size of [1000, 65_536, 100_001]) {
    const indexer = new LineIndexer();
    for (let at = 0; at < text.length; at += size) indexer.add({ at, content: text.subarray(at, at + size) });
    indexer.add({ at: text.length + 500, content: Buffer.from('after\n'), firstLine: 20_010 });
    const index = indexer.end({ totalBytes: text.length + 506, totalLines: 20_011 });
    assert.deepEqual(index.gap, { line: 20_000, endAt: text.length + 500, endLine: 20_010, bytes: 500 });
    for (const wanted of [0, 1, 5000, 12_345, 19_999]) {
      const [at, number] = findMark(index, wanted);
      assert.ok(number <= wanted);
      assert.equal(countLines(text.subarray(0, at)), number);
      assert.ok(text.subarray(at).toString().startsWith(line(number)));
    }
    assert.deepEqual(findMark(index, 20_010), [text.length + 500, 20_010]);
  }
});
