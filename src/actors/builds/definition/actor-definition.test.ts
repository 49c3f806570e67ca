// What is read of an Actor's sources: definition, schemas, texts and the start command.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { readDefinition, readStart } from './actor-definition.ts';
import type { SourceReader } from './source-reader.ts';

type Files = Record<string, unknown>;

function readerOver(files: Files): SourceReader {
  const texts = new Map(
    Object.entries(files).map(([path, value]) => [
      path,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  return {
    read: async (path) => texts.get(path),
    list: async () => [...new Set([...texts.keys()].map((path) => path.split('/')[0]!))],
  };
}

const define = async (files: Files) => ({
  ...(await readDefinition(readerOver(files))),
  start: await readStart(readerOver(files)),
});
const main = { 'main.js': 'x', 'package.json': {} };

async function refusal(files: Files): Promise<string> {
  const error = await define(files).then(
    () => assert.fail('it is refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Failure, String(error));
  return error.message;
}

describe('the definition', () => {
  test('has the contents of the files that it refers to', async () => {
    const read = await define({
      ...main,
      '.actor/actor.json': {
        actorSpecification: 1,
        name: 'one',
        input: './input.json',
        output: '../schemas/output.json',
        storages: { dataset: './dataset.json', keyValueStore: { actorKeyValueStoreSchemaVersion: 1 } },
        readme: './ABOUT.md',
        minMemoryMbytes: 256,
        maxMemoryMbytes: 1024,
      },
      '.actor/input.json': { title: 'In', type: 'object', schemaVersion: 1, properties: {} },
      'schemas/output.json': { out: 1 },
      '.actor/dataset.json': { actorSpecification: 1 },
      '.actor/ABOUT.md': '# About',
      'CHANGELOG.md': '# Changes',
    });
    assert.deepEqual(read.definition, {
      actorSpecification: 1,
      name: 'one',
      input: { title: 'In', type: 'object', schemaVersion: 1, properties: {} },
      output: { out: 1 },
      storages: { dataset: { actorSpecification: 1 }, keyValueStore: { actorKeyValueStoreSchemaVersion: 1 } },
      readme: '# About',
      changelog: '# Changes',
      minMemoryMbytes: 256,
      maxMemoryMbytes: 1024,
    });
    assert.deepEqual(JSON.parse(read.inputSchema!), read.definition?.['input']);
    assert.deepEqual([read.readme, read.changelog], ['# About', '# Changes']);
  });

  test('has texts as its title and description', async () => {
    for (const name of ['title', 'description'])
      for (const value of [5, true, ['a'], { en: 'a' }])
        assert.equal(
          await refusal({ ...main, '.actor/actor.json': { [name]: value } }),
          `.actor/actor.json: "${name}" must be text.`,
        );
    const read = await define({ ...main, '.actor/actor.json': { title: 'One', description: null } });
    assert.deepEqual(read.definition, { title: 'One', description: null });
  });

  test('has several storages of a kind by alias, each with its schema or the file of one', async () => {
    const read = await define({
      ...main,
      '.actor/actor.json': {
        storages: {
          datasets: { default: './products.json', categories: { actorSpecification: 1 } },
          keyValueStores: { images: './images.json' },
          requestQueues: { later: {} },
        },
      },
      '.actor/products.json': { fields: { type: 'object', required: ['name'] } },
      '.actor/images.json': { collections: { all: { keyPrefix: 'i-' } } },
    });
    assert.deepEqual(read.definition?.['storages'], {
      datasets: {
        default: { fields: { type: 'object', required: ['name'] } },
        categories: { actorSpecification: 1 },
      },
      keyValueStores: { images: { collections: { all: { keyPrefix: 'i-' } } } },
      requestQueues: { later: {} },
    });
  });

  test('refuses storages that no run could have', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 11 }, (_, n) => [n === 0 ? 'default' : `a${n}`, {}]),
    );
    const wrong: [storages: unknown, words: RegExp][] = [
      [[], /"storages" must be an object/],
      [{ datasets: [] }, /"storages\.datasets" must be an object/],
      [{ datasets: './a.json' }, /"storages\.datasets" must be an object/],
      [{ datasets: {} }, /"storages\.datasets" must have the alias "default"/],
      [{ datasets: { other: {} } }, /"storages\.datasets" must have the alias "default"/],
      [{ datasets: many }, /"storages\.datasets" can have 10 aliases/],
      [{ datasets: { default: {}, 'my-data': {} } }, /"my-data".*letters, digits and underscores/],
      [{ datasets: { default: {}, '1st': {} } }, /"1st".*letters, digits and underscores/],
      [{ keyValueStores: { ['x'.repeat(102)]: {} } }, /letters, digits and underscores/],
      [{ requestQueues: { ['__proto__x y']: {} } }, /letters, digits and underscores/],
      [
        { datasets: { default: {} }, dataset: {} },
        /"storages\.dataset" and "storages\.datasets".*one of them/,
      ],
      [{ keyValueStores: {}, keyValueStore: {} }, /"storages\.keyValueStore".*one of them/],
      [{ datasets: { default: 7 } }, /"storages\.datasets\.default" must be the path of a JSON file/],
      [{ datasets: { default: './no.json' } }, /names the file \.actor\/no\.json, which does not exist/],
      [{ requestQueues: { later: 'x' } }, /names the file \.actor\/x, which does not exist/],
      [{ datasets: { default: { fields: 7 } } }, /"storages\.datasets\.default" is no schema of a dataset/],
      [{ dataset: { views: [] } }, /"storages\.dataset" is no schema of a dataset/],
      [
        { keyValueStores: { a: { collections: 7 } } },
        /"storages\.keyValueStores\.a" is no schema of a key-value store/,
      ],
    ];
    for (const [storages, words] of wrong) {
      const message = await refusal({ ...main, '.actor/actor.json': { storages } });
      assert.match(message, words);
      assert.match(message, /^\.actor\/actor\.json: .*\.$/);
    }
  });

  test('may be missing, or stand at the top', async () => {
    assert.equal((await define(main)).definition, null);
    const read = await define({ ...main, 'actor.json': { input: './in.json' }, 'in.json': { a: 1 } });
    assert.deepEqual(read.definition, { input: { a: 1 } });
  });

  test('takes the input schema that is named, then that of .actor, then that at the top', async () => {
    const places = { '.actor/INPUT_SCHEMA.json': { at: 2 }, 'INPUT_SCHEMA.json': { at: 3 } };
    const schemaOf = async (files: Files) =>
      JSON.parse((await define({ ...main, ...files })).inputSchema!) as unknown;
    assert.deepEqual(await schemaOf({ ...places, '.actor/actor.json': { input: { at: 1 } } }), { at: 1 });
    assert.deepEqual(await schemaOf(places), { at: 2 });
    assert.deepEqual(await schemaOf({ 'INPUT_SCHEMA.json': { at: 3 } }), { at: 3 });
  });

  test('says which file is wrong', async () => {
    const wrong: [files: Files, words: RegExp][] = [
      [{ '.actor/actor.json': '{"name":' }, /^\.actor\/actor\.json is not valid JSON/],
      [{ '.actor/actor.json': '[]' }, /must contain a JSON object/],
      [
        { '.actor/actor.json': { input: './none.json' } },
        /"input" names the file \.actor\/none\.json, which/,
      ],
      [{ '.actor/actor.json': { input: '../../etc/passwd' } }, /inside the sources/],
      [{ '.actor/actor.json': { input: '/etc/passwd' } }, /inside the sources/],
      [{ '.actor/actor.json': { input: 7 } }, /"input" must be/],
      [{ '.actor/actor.json': { actorSpecification: 2 } }, /must be 1/],
      [{ '.actor/actor.json': { minMemoryMbytes: 64 } }, /from 128 to 32768/],
      [{ '.actor/actor.json': { minMemoryMbytes: 512, maxMemoryMbytes: 256 } }, /must not be greater/],
      [
        { '.actor/actor.json': { defaultMemoryMbytes: 'input.x +' } },
        /^\.actor\/actor\.json: .*defaultMemory/,
      ],
      [
        { '.actor/actor.json': { storages: { dataset: './x.json' } }, '.actor/x.json': '{' },
        /^\.actor\/x\.json is not/,
      ],
      [{ 'INPUT_SCHEMA.json': 'no' }, /^INPUT_SCHEMA\.json is not valid JSON/],
      [{ 'package.json': '{,}' }, /^package\.json is not valid JSON/],
    ];
    for (const [files, words] of wrong) assert.match(await refusal({ ...main, ...files }), words);
  });
});

describe('the start command', () => {
  const startOf = async (files: Files) => (await define(files)).start;
  const withStart = (start: string, more: object = {}) => ({
    'package.json': { scripts: { start, ...more } },
  });

  test('is that of actor.json: a list as it is, a text by the shell', async () => {
    const given = (startCommand: unknown) => startOf({ '.actor/actor.json': { startCommand } });
    assert.deepEqual(await given(['./run', 'a b']), { by: 'program', command: ['./run', 'a b'] });
    assert.deepEqual(await given(['node', 'x.js']), { by: 'node', args: ['x.js'] });
    assert.deepEqual(await given(['python3', '-m', 'x']), { by: 'python', args: ['-m', 'x'] });
    assert.deepEqual(await given('./run | cat'), { by: 'shell', script: './run | cat' });
    for (const wrong of [[], [''], [7], 7, '', ['a\0b']])
      assert.match(await refusal({ '.actor/actor.json': { startCommand: wrong } }), /"startCommand" must be/);
  });

  test('is the script of package.json, without a shell where it is plain node', async () => {
    assert.deepEqual(await startOf(withStart('node src/main.js')), { by: 'node', args: ['src/main.js'] });
    assert.deepEqual(await startOf(withStart('node --import=tsx x.ts')), {
      by: 'node',
      args: ['--import=tsx', 'x.ts'],
    });
    for (const script of [
      'tsx src/main.ts',
      'node a.js && node b.js',
      'node $FILE',
      'node "a b.js"',
      'A=1 node x.js',
    ])
      assert.deepEqual(await startOf(withStart(script)), { by: 'shell', script });
    assert.deepEqual(await startOf(withStart('node x.js', { prestart: 'echo' })), {
      by: 'npm',
      script: 'start',
    });
  });

  test('is the script start:prod where there is one, as templates for TypeScript have it', async () => {
    const production = { 'start:prod': 'node dist/main.js' };
    assert.deepEqual(await startOf(withStart('npm run start:dev', production)), {
      by: 'node',
      args: ['dist/main.js'],
    });
    assert.deepEqual(await startOf(withStart('x', { ...production, 'prestart:prod': 'y' })), {
      by: 'npm',
      script: 'start:prod',
    });
  });

  test('comes after the build command, which is that of actor.json or the script of package.json', async () => {
    const commandOf = async (files: Files) => (await readDefinition(readerOver(files))).buildCommand;
    const script = { 'package.json': { scripts: { build: 'tsc' } } };
    assert.deepEqual(await commandOf(script), { by: 'npm', script: 'build' });
    assert.equal(await commandOf(main), undefined);
    const given = (buildCommand: unknown) => commandOf({ ...script, '.actor/actor.json': { buildCommand } });
    assert.deepEqual(await given('make all'), { by: 'shell', script: 'make all' });
    assert.deepEqual(await given(['cargo', 'build']), { by: 'program', command: ['cargo', 'build'] });
    assert.match(await refusal({ '.actor/actor.json': { buildCommand: 7 } }), /"buildCommand" must be/);
  });

  test('is otherwise the main file of package.json, or a Python module', async () => {
    assert.deepEqual(await startOf({ 'package.json': { main: 'a/b.js' }, 'a/b.js': '' }), {
      by: 'node',
      args: ['a/b.js'],
    });
    assert.deepEqual(await startOf({ 'package.json': {}, 'src/main.js': '' }), {
      by: 'node',
      args: ['src/main.js'],
    });
    assert.deepEqual(await startOf({ 'src/__main__.py': '', 'tests/__main__.py': '' }), {
      by: 'python',
      args: ['-m', 'src'],
    });
    assert.deepEqual(await startOf({ 'my_actor/__main__.py': '' }), {
      by: 'python',
      args: ['-m', 'my_actor'],
    });
    assert.deepEqual(await startOf({ 'main.py': '' }), { by: 'python', args: ['main.py'] });
    assert.deepEqual(await startOf({ 'main.js': '' }), { by: 'node', args: ['main.js'] });
    assert.match(await refusal({ 'README.md': '' }), /no way to start/);
    assert.match(await refusal({ 'package.json': { main: '../x.js' }, '../x.js': '' }), /no way to start/);
  });

  test('is that of a Dockerfile whose base image is one of Python', async () => {
    const both = { 'src/__main__.py': '', 'my_actor/__main__.py': '', 'package.json': {}, 'main.js': '' };
    const started = async (Dockerfile: string, files: Files = {}) =>
      await startOf({ ...both, Dockerfile, ...files });
    const python = (...args: string[]) => ({ by: 'python', args });
    for (const [dockerfile, start] of [
      ['FROM apify/actor-python:3.13\nCMD ["python3", "-m", "my_actor"]', python('-m', 'my_actor')],
      [
        'from --platform=linux/amd64 python:3.12-slim AS run\ncmd python -m my_actor --fast',
        python('-m', 'my_actor', '--fast'),
      ],
      ['ARG V=3.13\nFROM docker.io/apify/actor-python-playwright:${V}\n', python('-m', 'src')],
      [
        'FROM python@sha256:00 AS base\nFROM node:24\nFROM base\n# CMD ["python3", "x.py"]\n',
        python('-m', 'src'),
      ],
      ['FROM apify/actor-python\nCMD \\\n  ["python3", \\\n  "-m", "my_actor"]', python('-m', 'my_actor')],
      ['FROM apify/actor-python\nCMD xvfb-run python3 -m my_actor', python('-m', 'src')],
      ['FROM apify/actor-python\nCMD ["python3", 7]', python('-m', 'src')],
      [
        'FROM python AS build\nFROM apify/actor-node:24\nCMD ["python3", "-m", "my_actor"]',
        { by: 'node', args: ['main.js'] },
      ],
      ['FROM my/not-python\n', { by: 'node', args: ['main.js'] }],
    ] as const)
      assert.deepEqual(await started(dockerfile), start, dockerfile);
    const given = { '.actor/actor.json': { startCommand: ['./run'] } };
    assert.deepEqual(await started('FROM python', given), { by: 'program', command: ['./run'] });
    const named = {
      '.actor/actor.json': { dockerfile: '../docker/Actor' },
      'docker/Actor': 'FROM python\nCMD ["python", "-m", "my_actor"]',
    };
    assert.deepEqual(await started('FROM apify/actor-node', named), python('-m', 'my_actor'));
  });

  test('is that of Python where a line calls it, as machines may have it elsewhere', async () => {
    for (const line of ['python -m src', 'python3 -m src', '  python3  -m src '])
      for (const files of [withStart(line), { '.actor/actor.json': { startCommand: line } }])
        assert.deepEqual(await startOf(files), { by: 'python', args: ['-m', 'src'] }, line);
    const line = 'python3 -m src && echo done';
    assert.deepEqual(await startOf(withStart(line)), { by: 'shell', script: line });
  });

  test('comes with the way of installing, and a note on a Dockerfile', async () => {
    assert.equal((await define(main)).install, 'npm');
    assert.equal((await define({ 'main.py': '', 'requirements.txt': 'x' })).install, 'pip');
    assert.equal((await define({ 'main.py': '' })).install, null);
    assert.match((await define({ ...main, Dockerfile: 'FROM x' })).notes.join(), /Dockerfile is ignored/);
    const python = { ...main, 'requirements.txt': 'x', 'main.py': '', Dockerfile: 'FROM apify/actor-python' };
    const { install, notes } = await define(python);
    assert.equal(install, 'pip');
    assert.match(notes.join(), /Dockerfile is not executed.*needs Python/);
    assert.match(
      (await define({ ...main, '.actor/Dockerfile': 'FROM x' })).notes.join(),
      /Dockerfile is ignored/,
    );
  });

  test('comes with a note on lockfiles of other package managers', async () => {
    const notesOf = async (files: Files) => (await define({ ...main, ...files })).notes.join();
    assert.match(await notesOf({ 'yarn.lock': '' }), /^yarn\.lock is ignored: .* npm install/);
    assert.match(await notesOf({ 'pnpm-lock.yaml': '' }), /^pnpm-lock\.yaml is ignored/);
    assert.equal(await notesOf({ 'yarn.lock': '', 'package-lock.json': '{}' }), '');
  });
});
