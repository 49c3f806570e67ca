// Which files count for which language.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addCommit, needsGit, openTestRepository, program } from './fixture-repository.ts';
import { languageOf } from './language-table.ts';
import { countLanguages } from './languages.ts';

test('the name of a file tells its language', () => {
  const languages = {
    'src/main.ts': 'TypeScript',
    'a.test.MJS': 'JavaScript',
    'x/y.py': 'Python',
    Dockerfile: 'Dockerfile',
    'a/Makefile': 'Makefile',
    'CMakeLists.txt': 'CMake',
    'lib.rs': 'Rust',
    'a.c++': 'C++',
  };
  for (const [path, language] of Object.entries(languages)) assert.equal(languageOf(path), language, path);
});

test('documentation, data and the work of others do not count', () => {
  const paths = ['README.md', 'data.json', 'a.yml', 'b.csv', 'image.svg', 'LICENSE', '.ts', 'ts', 'a.', ''];
  const folders = [
    'node_modules/a/b.js',
    'x/vendor/c.go',
    'dist/d.js',
    'Vendor/e.c',
    'a.min.js',
    'constructor',
  ];
  for (const path of [...paths, ...folders, 'a.constructor', 'a.__proto__', '__proto__'])
    assert.equal(languageOf(path), undefined, path);
  assert.equal(languageOf('vendor.ts'), 'TypeScript');
});

describe('the languages of a tree', needsGit, () => {
  test('are counted in bytes, the most first', async () => {
    const target = openTestRepository();
    const commit = await addCommit(target, {
      'a.ts': 'x'.repeat(10),
      'in/b.ts': 'y'.repeat(5),
      'big.py': 'z'.repeat(3000),
      'empty.rb': '',
      'new\nline "ü".go': '1234567',
      'README.md': 'text',
      '120000 link.ts': 'a.ts',
      '160000 sub.ts': '5'.repeat(40),
      'node_modules/x/y.js': 'no',
    });
    const counted = await countLanguages(target, commit);
    assert.deepEqual(Object.entries(counted), [
      ['Python', 3000],
      ['TypeScript', 15],
      ['Go', 7],
    ]);
    assert.deepEqual(await countLanguages(target, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'), {});
    for (const tree of ['1'.repeat(40), '--help', 'main']) await assert.rejects(countLanguages(target, tree));
    assert.equal(program.processes, 0);
  });
});
