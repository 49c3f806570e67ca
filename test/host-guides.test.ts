// The host in the README, and its guides, are true: their commands and programs are run as they stand there.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { makeFolder, startServer } from '../src/cli/fixture.ts';
import { needsGit } from '../src/host/git/fixture-repository.ts';
import { PATIENCE_MS } from './eventually.ts';
import { followGuide } from './guides.ts';

const ROOT = dirname(import.meta.dirname);
const EMAIL = 'ada@example.com';
const PASSWORD = 'a long password';

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
  const server = await startServer(join(cwd, 'data'), [], { ...machine, SIGNALBOX_ADMIN_PASSWORD: PASSWORD });
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

test('the guide to apps', options, async () => {
  const guide = 'docs/guide/apps.md';
  const [, manifest] = /```json\n([^`]+)```/.exec(readFileSync(join(ROOT, guide), 'utf8'))!;
  const replace = { 'http://127.0.0.1:8080': env['SIGNALBOX_URL']! };
  const visitor = await AppVisitor.logIn(env['SIGNALBOX_URL']!, 'admin', PASSWORD);
  const CODE = await visitor.agreeTo(manifest!);
  await followGuide(guide, { section: '## Register an app', cwd, env: { ...env, CODE }, replace });
  await visitor.install('build-bot', 'admin');
  await followGuide(guide, { section: '## Use it', cwd, env, replace });
});

/** Does in a browser what the guide asks for. */
class AppVisitor {
  readonly #url: string;
  #cookie = '';

  private constructor(url: string) {
    this.#url = url;
  }

  static async logIn(url: string, name: string, password: string): Promise<AppVisitor> {
    const visitor = new AppVisitor(url);
    const { headers } = await visitor.#send('/session', { name, password });
    visitor.#cookie = headers.getSetCookie()[0]!.split(';', 1)[0]!;
    return visitor;
  }

  async agreeTo(manifest: string): Promise<string> {
    const asked = await this.#send('/settings/apps/new', { manifest });
    const consent = await this.#open(asked.headers.get('location')!);
    const { name } = JSON.parse(manifest) as { name: string };
    const agreed = await this.#send('/settings/apps', { manifest, state: '', name, token: tokenOf(consent) });
    const [, code] = /app-manifests\/(\w+)\/conversions/.exec(await agreed.text())!;
    return code!;
  }

  async install(slug: string, account: string): Promise<void> {
    const page = await this.#open(`/apps/${slug}/installations/new?account=${account}`);
    const fields = { token: tokenOf(page), account, state: '', selection: 'all' };
    const { status } = await this.#send(`/apps/${slug}/installations`, fields);
    assert.equal(status, 303);
  }

  async #open(path: string): Promise<string> {
    const headers = { cookie: this.#cookie, accept: 'text/html' };
    return await (await fetch(this.#url + path, { headers })).text();
  }

  #send(path: string, fields: Record<string, string>): Promise<Response> {
    const headers = { cookie: this.#cookie, accept: 'text/html', origin: this.#url };
    const body = new URLSearchParams(fields);
    return fetch(this.#url + path, { method: 'POST', headers, body, redirect: 'manual' });
  }
}

function tokenOf(page: string): string {
  const [, token] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  assert.ok(token !== undefined, page);
  return token;
}
