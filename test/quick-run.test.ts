// The lists of the quick run: each entry is about files that exist.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { test } from 'node:test';
import { onEachEngine } from './engines.ts';
import { filesOnSqlite, isLong, isOnSqlite, longFiles, longTests, TEST_FOLDERS } from './quick-run.ts';

const files = TEST_FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.test.ts`));

test('every glob of the lists matches a test file', () => {
  for (const glob of [...longFiles, ...filesOnSqlite])
    assert.ok(
      files.some((file) => matchesGlob(file, glob)),
      `${glob} matches no test file`,
    );
});

test('every name of the lists is that of a test in one quick file', () => {
  const texts = files.filter((file) => !isLong(file)).map((file) => readFileSync(file, 'utf8'));
  for (const name of longTests)
    assert.equal(texts.filter((text) => text.includes(`'${name}'`)).length, 1, name);
});

test('files of any working folder are told apart by their path in the project', () => {
  assert.equal(isLong(new URL('crash/crash.test.ts', import.meta.url).pathname), true);
  assert.equal(isLong(new URL('quick-run.test.ts', import.meta.url).pathname), false);
});

test('tests of the whole server run on SQLite, and those of stores on both engines', () => {
  assert.equal(isOnSqlite(new URL('conformance/host.test.ts', import.meta.url).pathname), true);
  assert.equal(isOnSqlite(new URL('../src/kernel/storage/engine.test.ts', import.meta.url).pathname), false);
});

const kinds: string[] = [];
process.env['SIGNALBOX_TEST_ENGINES'] = 'sqlite';
onEachEngine(({ kind }) => kinds.push(kind));

test('a suite for each engine is declared for SQLite alone where the runner says so', () => {
  assert.deepEqual(kinds, ['sqlite']);
});
