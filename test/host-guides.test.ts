// The host in the README, and its guides, are true: their commands and programs are run as they stand there.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { makeFolder, startServer } from '../src/cli/fixture.ts';
import { needsGit } from '../src/host/git/fixture-repository.ts';
import { PATIENCE_MS } from './eventually.ts';
import { followGuide } from './guides.ts';

const ROOT = dirname(import.meta.dirname);
const EMAIL = 'ada@example.com';

const skip =
  needsGit.skip ||
  (['bash', 'curl']
    .filter((program) => spawnSync(program, ['--version']).error !== undefined)
    .map((program) => `needs ${program}`)[0] ??
    false);
const options = { skip, timeout: 5 * PATIENCE_MS };
const cwd = makeFolder();
let env: Record<string, string | undefined>;
before(async () => {
  if (skip !== false) return;
  const machine = { HOME: cwd, PATH: process.env['PATH'] };
  const server = await startServer(join(cwd, 'data'), [], machine);
  // Somebody who uses git has told it who they are.
  const person = { AUTHOR_NAME: 'Ada', AUTHOR_EMAIL: EMAIL, COMMITTER_NAME: 'Ada', COMMITTER_EMAIL: EMAIL };
  const identity = Object.fromEntries(Object.entries(person).map(([key, value]) => [`GIT_${key}`, value]));
  env = { ...machine, ...identity, SIGNALBOX_URL: server.url, SIGNALBOX_TOKEN: server.token };
  // As if octokit had been installed.
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
});

async function printed(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd, env });
  return stdout.trim();
}

test('the repository in README.md, and the program that lists it', options, async () => {
  await followGuide('README.md', { section: '### Host: a repository', cwd, env });
  assert.equal(await printed('names.mjs'), "[ 'admin/hello' ]");
});

test('the gist in README.md', options, async () => {
  await followGuide('README.md', { section: '### Host: a gist', cwd, env });
});

test('the guide to gists', options, async () => {
  await followGuide('docs/guide/gists.md', { cwd, env });
});

test('the limits and versions in README.md, and the program that reads them', options, async () => {
  const replace = { 'http://127.0.0.1:8080': env['SIGNALBOX_URL']! };
  await followGuide('README.md', { section: '### Host: limits and versions', cwd, env, replace });
  assert.equal(await printed('limits.mjs'), 'admin admin 5000');
});

test('the guide to a newer version of the API', options, async () => {
  const bin = process.env['SIGNALBOX_TEST_BIN'] ?? join(ROOT, 'src/bin.ts');
  mkdirSync(join(cwd, 'bin'));
  // As if the package had been installed. The code 1 says that calls would change, which is no failure here.
  const program = `#!/bin/sh\n'${process.execPath}' '${bin}' "$@" || test $? -eq 1\n`;
  writeFileSync(join(cwd, 'bin/signalbox'), program, { mode: 0o755 });
  const PATH = `${join(cwd, 'bin')}:${env['PATH']}`;
  await followGuide('docs/guide/upgrade-api-version.md', { cwd, env: { ...env, PATH } });
});

test('the guide to code scanning', options, async () => {
  await followGuide('docs/guide/code-scanning.md', { cwd, env });
});
