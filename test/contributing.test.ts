// CONTRIBUTING.md and README.md are true: the recipes are followed in a copy of the tree, and the files they name exist.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { bundleProgram } from '../scripts/bundle.ts';
import { findDoubleNames } from '../scripts/exported-names.ts';
import { findViolations } from '../scripts/import-law.ts';
import { makeFolder, start, startServer, type ServerProcess } from '../src/cli/fixture.ts';
import { eventually } from './eventually.ts';
import { addCode, applyDiff, followStep, readSteps } from './recipes.ts';

const ROOT = dirname(import.meta.dirname);
const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const CONTRIBUTING = readText('CONTRIBUTING.md');
const README = readText('README.md');

const folder = makeFolder();
const copy = join(folder, 'copy');
const steps = readSteps(CONTRIBUTING);
/** The copy's files, which change in every run, would fill the compile cache. */
const env = { NODE_DISABLE_COMPILE_CACHE: '1' };

before(() => {
  mkdirSync(copy);
  const files = ['package.json', 'tsconfig.json'];
  for (const path of ['src', 'test', 'tools', 'scripts', 'console', 'actors-library', ...files]) {
    const filter = (from: string) => !/\/console\/(?:node_modules|dist)$/.test(from);
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const step of steps) followStep(copy, step);
});

describe('a tree in which every recipe was followed', () => {
  let server: ServerProcess;
  /** A bundle starts in a fraction of the time of sources that nobody has compiled. */
  let program: string;
  before(async () => {
    program = (await bundleProgram(join(copy, '.runtime/bundles/recipes'), copy)).bin;
    server = await startServer(join(folder, 'data'), [], env, program);
  });

  async function call(path: string, { body, headers = {} }: { body?: unknown; headers?: object } = {}) {
    const response = await fetch(server.url + path, {
      headers: {
        authorization: `Bearer ${server.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any
    return { status: response.status, json: (await response.json()) as any };
  }

  test('has the right types', async () => {
    const files = [...new Set(steps.flatMap(({ paths }) => paths))];
    // Other tests are not changed by a recipe, and would take as long as all the rest.
    const settings = { extends: './tsconfig.json', include: ['src'], exclude: ['src/**/*.test.ts'], files };
    writeFileSync(join(copy, 'tsconfig.recipes.json'), JSON.stringify(settings));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    // Several threads check shared types again in each, and with the usual garbage collection a fifth is spent on it.
    const args = [tsc, '-p', 'tsconfig.recipes.json', '--singleThreaded'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: copy,
      env: { ...process.env, GOGC: '400' },
    }).catch((error: { stdout: string }) => error);
    assert.equal(stdout, '');
  });

  test('keeps the import law, and exports every name once', () => {
    const paths = globSync('src/**/*.ts', { cwd: copy });
    const sources = new Map(paths.map((path) => [path, readFileSync(join(copy, path), 'utf8')]));
    assert.deepEqual(findViolations(sources), []);
    assert.deepEqual(findDoubleNames(sources), []);
  });

  test('answers at the new endpoint', async () => {
    const { status, json } = await call('/user/social_accounts');
    assert.equal(status, 200);
    assert.deepEqual(json, [{ provider: 'signalbox', url: `${server.url}/admin` }]);
  });

  test('has the new resource', async () => {
    const made = await call('/api/v2/notes', { body: { text: 'mind the gap' } });
    assert.equal(made.status, 201);
    assert.equal(made.json.text, 'mind the gap');
    const { json: list } = await call('/api/v2/notes');
    assert.deepEqual([list.items, list.totalCount], [[made.json], 1]);
    const { json: log } = await call('/api/v2/auditlog?limit=1');
    assert.equal(log.items[0].titleVerb, 'created the note');
  });

  test('passes the test of the new resource on both engines', async () => {
    const { DATABASE_URL, PATH, TMPDIR } = process.env;
    const file = join(copy, 'src/flags/notes/store.test.ts');
    const { code, out } = await start([], { ...env, DATABASE_URL, PATH, TMPDIR }, file).ended;
    assert.equal(code, 0, out);
    assert.match(out, /pass 2\b/);
  });

  test('throws the new error', async () => {
    const { status, json } = await call('/api/v2/notes?author=ada');
    assert.equal(status, 501);
    assert.equal(json.code, 'not_implemented');
    assert.equal(json.message, 'Notes cannot be found by their author yet.');
  });

  test('answers in the new version and in the old ones', async () => {
    const scoreIn = async (version: string) => {
      const headers = { 'x-host-api-version': version };
      const { status, json } = await call('/search/users?q=admin', { headers });
      assert.deepEqual([status, json.items[0].login], [200, 'admin'], version);
      return json.items[0].score as unknown;
    };
    assert.equal(await scoreIn('2022-11-28'), 1);
    assert.equal(await scoreIn('2026-03-10'), 1);
    assert.equal(await scoreIn('2027-01-15'), undefined);
  });

  test('does the due work', async () => {
    await call('/api/v2/notes', { body: { text: 'short-lived', expiresAt: Date.now() } });
    await eventually(async () => {
      const { json } = await call('/api/v2/notes');
      return json.items.every(({ text }: { text: string }) => text !== 'short-lived');
    }, 'the end of the note');
    const { json: log } = await call('/api/v2/auditlog?limit=1');
    assert.equal(log.items[0].titleVerb, 'deleted the expired note');
  });

  test('has the new setting', async () => {
    const { code, out } = await start(['config', 'print'], env, program).ended;
    assert.equal(code, 0);
    assert.match(out, /SIGNALBOX_POOL_SIZE/);
  });
});

describe('the forms of a recipe', () => {
  const FILE = `// A file.
import { a } from './a.ts';
import type { B } from './b.ts';

const one = a(1);

export const all = [one];
`;

  test('imports join those of the file, and a list with one more item takes its place', () => {
    const block = `import { a, c } from './a.ts';
import { d } from './d.ts';

const two = c(d);

export const all = [one, two];
`;
    assert.equal(
      addCode(FILE, block),
      `// A file.
import { a, c } from './a.ts';
import type { B } from './b.ts';
import { d } from './d.ts';

const one = a(1);

const two = c(d);

export const all = [one, two];
`,
    );
  });

  test('a list that has lost an item is refused', () => {
    assert.throws(() => addCode(FILE, 'export const all = [two];\n'), /not in the block that replaces them/);
  });

  test('anything else goes to the end', () => {
    assert.equal(addCode(FILE, 'export const none = [];\n'), `${FILE}\nexport const none = [];\n`);
  });

  test('a diff has to fit in one place', () => {
    assert.equal(applyDiff('f', 'a\nb\nc\n', ' a\n-b\n+x\n\n c\n+d\n'), 'a\nx\nc\nd\n');
    assert.throws(() => applyDiff('f', 'a\nb\n', ' b\n-a\n'), /f has these lines once/);
    assert.throws(() => applyDiff('f', 'a\nb\na\n', '-a\n'), /f has these lines once/);
    assert.throws(() => applyDiff('f', undefined, '-a\n'), /f does not exist/);
  });

  test('the paragraph before a block names its files', () => {
    const recipe = (text: string) => readSteps(`# Title\n\n# Recipes\n\n${text}\n`);
    assert.deepEqual(recipe('1. In `src/a.ts` and\n   `src/b.ts`:\n\n   ```ts\n   a;\n     b;\n   ```'), [
      { language: 'ts', code: 'a;\n  b;\n', paths: ['src/a.ts', 'src/b.ts'] },
    ]);
    assert.throws(() => recipe('In `src/a.ts`.\n\nAnd:\n\n```ts\na;\n```'), /names no file/);
    assert.deepEqual(recipe('Run:\n\n```sh\nls\n```'), []);
  });
});

describe('what the documents name', () => {
  /** Outside blocks, without line breaks. */
  const namesIn = (markdown: string) =>
    [...markdown.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, name]) =>
      name!.replaceAll(/\s+/g, ' '),
    );
  let files: string[];
  let words: Set<string>;
  before(() => {
    files = globSync('{src,test,scripts,bench,docs,console}/**/*', { cwd: copy });
    const code = files.filter((path) => /\.tsx?$/.test(path) && !path.includes('contributing.test'));
    words = new Set(code.flatMap((path) => readFileSync(join(copy, path), 'utf8').match(/\w+/g) ?? []));
  });

  for (const [document, text] of Object.entries({ README, CONTRIBUTING })) {
    test(`every file and folder in ${document} exists, here or after its recipe`, () => {
      const named = namesIn(text).filter((name) => /^(src|test|scripts|bench|docs)\/[\w./-]*$/.test(name));
      const isThere = (path: string) => existsSync(join(ROOT, path)) || existsSync(join(copy, path));
      assert.deepEqual(
        named.filter((name) => !isThere(name)),
        [],
      );
    });

    test(`every short name of a file in ${document} is the end of a path`, () => {
      const paths = files.map((path) => `/${path}`);
      const named = namesIn(text).filter((name) => /^[a-z][\w/-]*(\.test)?\.ts$/.test(name));
      assert.deepEqual(
        named.filter((name) => !paths.some((path) => path.endsWith(`/${name}`))),
        [],
      );
    });

    test(`every identifier in ${document} occurs in the code`, () => {
      const named = namesIn(text).flatMap((name) => name.match(/\b[A-Za-z]*[a-z][A-Z]\w*\b/g) ?? []);
      assert.deepEqual(
        [...new Set(named)].filter((name) => !words.has(name)),
        [],
      );
    });
  }
});
