// The check of decision records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRecordProblems } from './decision-records.ts';

const RECORDS = {
  'docs/adr/0001-blobs-are-files.md': '# 0001: Blobs are files\n\nMore in [0002](0002-two-engines.md).\n',
  'docs/adr/0002-two-engines.md': '# 0002: Two engines\n',
};
const INDEX = {
  'docs/adr/README.md':
    '# Records\n\n- [0002](0002-two-engines.md): Two engines\n- [0001](0001-blobs-are-files.md): Blobs are files\n',
};

function find(files: Record<string, string>, dependencies: string[] = []): string[] {
  return findRecordProblems(new Map(Object.entries({ ...RECORDS, ...INDEX, ...files })), dependencies);
}

test('records that are listed by their titles, and mentions of them, are right', () => {
  const files = {
    'src/kernel/storage/blob.ts': '// Files, and not rows (ADR 0001, 0002).',
    'CONTRIBUTING.md': 'See [0001](docs/adr/0001-blobs-are-files.md).',
  };
  assert.deepEqual(find(files), []);
});

test('a hole in the numbers, and a number that is taken twice, are reported', () => {
  const files = {
    'docs/adr/0002-three-engines.md': '# 0002: Three engines\n',
    'docs/adr/0004-last.md': '# 0004: Last\n',
    'docs/adr/README.md': `${INDEX['docs/adr/README.md']}- [0002](0002-three-engines.md): Three engines\n- [0004](0004-last.md): Last\n`,
  };
  assert.deepEqual(find(files), [
    'docs/adr/: two records have the number 0002.',
    'docs/adr/: there is no record 0003.',
  ]);
});

test('a record that the index lacks, or has by another title, is reported with its line', () => {
  const files = { 'docs/adr/0002-two-engines.md': '# 0002: Three engines\n' };
  assert.deepEqual(find(files), [
    'docs/adr/README.md: lacks the line "- [0002](0002-two-engines.md): Three engines".',
  ]);
});

test('a record whose first line does not have its number is reported', () => {
  const files = { 'docs/adr/0002-two-engines.md': '# 2. Two engines\n' };
  assert.deepEqual(find(files), [
    'docs/adr/0002-two-engines.md: the first line must be "# 0002: " and a title.',
  ]);
});

test('mentions of and links to records that do not exist are reported', () => {
  const files = {
    'src/kernel/lease.ts': '// As in ADR 0001 and 0009.',
    'docs/guide/operate.md': 'See [0001](../adr/0001-blobs.md).',
  };
  assert.deepEqual(find(files), [
    'src/kernel/lease.ts: names ADR 0009, which does not exist.',
    'docs/guide/operate.md: links to 0001-blobs.md, which does not exist.',
  ]);
});

test('a runtime dependency without a line in the record of dependencies is reported', () => {
  const text = '# 0014: Few dependencies\n\n| `ws` | events |\n';
  const problems = find({ 'docs/adr/0014-dependencies.md': text }, ['ws', 'ajv']);
  assert.deepEqual(
    problems.filter((problem) => problem.startsWith('package.json')),
    ['package.json: ajv is not in the table of record 0014.'],
  );
});
