// The command `api diff`, on files.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runApiDiff } from './api-diff.ts';
import type { ApiDiffOptions } from './api-diff.ts';

let folder: string;
const path = (name: string) => join(folder, `${name}.json`);
const api = (...paths: string[]) =>
  JSON.stringify({ openapi: '3.1.0', paths: Object.fromEntries(paths.map((each) => [each, { get: {} }])) });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'api-diff-'));
  await writeFile(path('one'), api('/a'));
  await writeFile(path('two'), api('/a', '/b'));
  await writeFile(path('other'), api('/b'));
  await writeFile(path('torn'), '{"openapi":');
  await writeFile(path('empty'), '{}');
});
after(() => rm(folder, { recursive: true }));

async function run(older: string, newer: string, options: Partial<ApiDiffOptions> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runApiDiff(
    { older: path(older), newer: path(newer), ...options },
    { out: (text) => out.push(text), err: (text) => err.push(text) },
  );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('equal documents have no differences', async () => {
  assert.deepEqual(await run('one', 'one'), { code: 0, out: 'no differences', err: '' });
});

test('additive changes pass', async () => {
  const { code, out } = await run('one', 'two');
  assert.equal(code, 0);
  assert.equal(
    out,
    'Breaking: 0\n\nAdditive: 1\n  operation-added  GET /b\n                   The operation GET /b was added.',
  );
});

test('breaking changes come first and fail', async () => {
  const { code, out } = await run('one', 'other');
  assert.equal(code, 1);
  assert.match(out, /^Breaking: 1\n {2}operation-removed {2}GET \/a\n[^]*\n\nAdditive: 1\n/);
});

test('breaking changes can be reported without failing', async () => {
  assert.equal((await run('one', 'other', { failOnBreaking: false })).code, 0);
});

test('the report can be had as JSON', async () => {
  const { code, out } = await run('one', 'other', { json: true });
  assert.equal(code, 1);
  const report = JSON.parse(out);
  assert.deepEqual([report.breaking, report.additive, report.differences.length], [1, 1, 2]);
  assert.deepEqual(JSON.parse((await run('one', 'one', { json: true })).out).differences, []);
});

test('unreadable input is reported on standard error', async () => {
  for (const [name, sentence] of [
    ['missing', /^Cannot read .*missing\.json \(ENOENT\)\.$/],
    ['torn', /torn\.json is not JSON/],
    ['empty', /^The newer document is not an OpenAPI 3 description/],
  ] as const) {
    const { code, out, err } = await run('one', name);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, sentence);
  }
});
