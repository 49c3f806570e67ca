// The host in the README, and its guides, are true: their commands and programs are run as they stand there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { needsGit } from '../src/host/git/fixture-repository.ts';
import { PATIENCE_MS } from './eventually.ts';
import { startReader } from './guide-reader.ts';
import { browserHeadersOf } from './people.ts';

const ROOT = dirname(import.meta.dirname);
const PASSWORD = 'a long password';

const skip =
  needsGit.skip ||
  (['bash', 'curl']
    .filter((program) => spawnSync(program, ['--version']).error !== undefined)
    .map((program) => `needs ${program}`)[0] ??
    false);
const options = { skip, timeout: 5 * PATIENCE_MS };

const GUIDES = [
  'docs/guide/code-scanning.md',
  'docs/guide/gists.md',
  'docs/guide/review-a-change.md',
  'docs/guide/upgrade-api-version.md',
];

for (const guide of GUIDES) {
  test(guide, options, async (t) => {
    const reader = await startReader();
    t.after(() => reader.server.stop());
    await reader.follow(guide);
  });
}

test('the host in README.md, and start-code.md', options, async (t) => {
  const reader = await startReader();
  t.after(() => reader.server.stop());
  await reader.follow('README.md', {
    sections: ['## A tour', '### Host: a repository', '### Host: a gist', '### Host: limits and versions'],
  });
  await reader.follow('docs/guide/start-code.md');
});

test('the guide to apps', options, async (t) => {
  const guide = 'docs/guide/apps.md';
  const reader = await startReader({ adminPassword: PASSWORD });
  t.after(() => reader.server.stop());
  const [, manifest] = /```json\n([^`]+)```/.exec(readFileSync(join(ROOT, guide), 'utf8'))!;
  const visitor = await AppVisitor.logIn(reader.server.url, 'admin', PASSWORD);
  const code = await visitor.agreeTo(manifest!);
  await reader.follow(guide, {
    sections: ['# Apps', '## Register an app', '## Install it'],
    replace: { 'the-code-of-the-page': code },
  });
  await visitor.install('build-bot', 'admin');
  await reader.follow(guide, { sections: ['# Apps', '## Use it'] });
});

/** Does in a browser what the guide asks for. */
class AppVisitor {
  readonly #url: string;
  #browser: Record<string, string> = {};

  private constructor(url: string) {
    this.#url = url;
  }

  static async logIn(url: string, name: string, password: string): Promise<AppVisitor> {
    const visitor = new AppVisitor(url);
    const login = await visitor.#send('/session', { name, password });
    visitor.#browser = browserHeadersOf({ headers: login.headers, text: await login.text() });
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
    assert.equal(status, 204);
  }

  async #open(path: string): Promise<string> {
    const headers = { ...this.#browser, accept: 'text/html' };
    return await (await fetch(this.#url + path, { headers })).text();
  }

  #send(path: string, fields: Record<string, string>): Promise<Response> {
    const headers = { ...this.#browser, accept: 'text/html', origin: this.#url };
    const body = new URLSearchParams(fields);
    return fetch(this.#url + path, { method: 'POST', headers, body, redirect: 'manual' });
  }
}

function tokenOf(page: string): string {
  const [, token] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  assert.ok(token !== undefined, page);
  return token;
}
