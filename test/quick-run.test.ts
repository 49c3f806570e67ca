// The lists of the quick run: each entry is about files that exist.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { test } from 'node:test';
import { onEachEngine } from './engines.ts';
import { isLong, isOnSqlite, LONG_FILES, ON_SQLITE } from './quick-run.ts';

test('every glob of the quick run matches a test file', () => {
  const files = ['src', 'test', 'scripts'].flatMap((folder) => globSync(`${folder}/**/*.test.ts`));
  for (const glob of [...Object.keys(LONG_FILES), ...ON_SQLITE])
    assert.ok(
      files.some((file) => matchesGlob(file, glob)),
      `${glob} matches no test file`,
    );
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
