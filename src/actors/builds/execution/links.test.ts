// Programs of a build that put links in place of their folders: the server must not follow them when it works on the result.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Kernel } from '../../../kernel/kernel.ts';
import { readDiskUsage, type DiskQuery } from '../../runner/disk-usage.ts';
import type { Program, RunningProgram } from '../../runner/runner.ts';
import { compileSources, type StepContext } from './build-step.ts';
import { installNodePackages, installPythonPackages } from './install.ts';

interface Fixture {
  kernel: Kernel;
  step: StepContext & { sources: string; place: string };
  /** A folder of somebody else. */
  outside: string;
}

/** A machine whose programs do what the function does, and succeed. */
function makeFixture(t: TestContext, act: (program: Program, outside: string) => void): Fixture {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [work, box, sources, outside] = ['work', 'box', 'sources', 'outside'].map((name) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  }) as [string, string, string, string];
  writeFileSync(join(sources, 'package.json'), '{}');
  mkdirSync(join(outside, 'node_modules'));
  for (const name of ['.npmrc', 'node_modules/kept', 'script'])
    writeFileSync(join(outside, name), `#!${join(box, 'app/venv')}/bin/python3\n`);
  const start = async (program: Program): Promise<RunningProgram> => {
    act(program, outside);
    const usage = { memoryBytes: 0, cpuMs: 0 };
    return { exited: Promise.resolve({ code: 0 }), stop() {}, usage: async () => usage };
  };
  const kernel = {
    services: { runner: { start, measureDisk: async (query: DiskQuery) => readDiskUsage(query) } },
    settings: { execution: { work, network: 'host' } },
  } as unknown as Kernel;
  const options = { memoryMbytes: 128, diskMbytes: 2 };
  const step = {
    build: { id: 'build', userId: 'ann', options },
    toolchain: {
      path: '/bin',
      npm: '/npm-cli.js',
      python: { program: 'python3', hasPip: true, readable: [] },
      readable: [],
    },
    box,
    env: {},
    log: { file: join(folder, 'log'), write() {}, end: async () => {}, close: async () => {} },
    signal: new AbortController().signal,
    sources,
    place: join(folder, 'place'),
  };
  return { kernel, step, outside };
}

const replaceApp = ({ folder }: Program, outside: string): void => {
  rmSync(join(folder, 'app'), { recursive: true, force: true });
  symlinkSync(outside, join(folder, 'app'));
};

const MANIFEST = {
  needsInstall: true,
  hasLockfile: false,
  needsSources: false,
  hasScripts: false,
  packages: 'production',
  parts: [],
} as unknown as Parameters<typeof installNodePackages>[1];

const assertUntouched = (outside: string) => {
  assert.deepEqual(readdirSync(outside).toSorted(), ['.npmrc', 'node_modules', 'script']);
  assert.ok(existsSync(join(outside, 'node_modules/kept')));
};

test('an installation that replaces its folder by a link fails, and what the link leads to stays', async (t) => {
  const { kernel, step, outside } = makeFixture(t, replaceApp);
  await assert.rejects(installNodePackages(kernel, MANIFEST, step), /replaced/);
  assertUntouched(outside);
});

test('a build command that replaces its folder by a link fails, and what the link leads to stays', async (t) => {
  const { kernel, step, outside } = makeFixture(t, replaceApp);
  const compilation = { ...step, command: { by: 'shell', script: 'x' } as const, readable: [] };
  await assert.rejects(
    compileSources(kernel, { ...compilation, target: join(step.box, 'target') }),
    /replaced/,
  );
  assertUntouched(outside);
});

test('scripts of a Python environment are rewritten in its own folder alone', async (t) => {
  const { kernel, step, outside } = makeFixture(t, ({ folder }, elsewhere) => {
    mkdirSync(join(folder, 'app/venv'), { recursive: true });
    symlinkSync(elsewhere, join(folder, 'app/venv/bin'));
  });
  await assert.rejects(installPythonPackages(kernel, step), /replaced/);
  assertUntouched(outside);
});

test('a download cache that is too large is not kept: it would count as the next build', async (t) => {
  let bytes = 10;
  const { kernel, step } = makeFixture(t, ({ folder }) => {
    mkdirSync(join(folder, 'app'), { recursive: true });
    writeFileSync(join(folder, 'npm-cache/content'), Buffer.alloc(bytes));
  });
  const caches = join(kernel.settings.execution.work, 'npm-caches');
  await installNodePackages(kernel, MANIFEST, step);
  assert.equal(readdirSync(caches).length, 1);
  bytes = 1024 ** 2;
  await installNodePackages(kernel, MANIFEST, step);
  assert.equal(readdirSync(caches).length, 0);
});
