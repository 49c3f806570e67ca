// The guide to SDKs and the flags of the README are true: commands are run as they stand there, and pages opened in a browser.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { makeFolder, startServer } from '../src/cli/fixture.ts';
import { SEMANTIC } from './conformance/flags-feature-flag-calls.ts';
import { noBrowser, openProfile, startBrowser } from './e2e/browser.ts';
import { eventually, PATIENCE_MS } from './eventually.ts';
import { followGuide } from './guides.ts';

const ROOT = dirname(import.meta.dirname);

const skip = ['bash', 'curl', 'npx']
  .filter((program) => spawnSync(program, ['--version']).error !== undefined)
  .map((program) => `needs ${program}`)[0];

const options = { skip: skip ?? false, timeout: 5 * PATIENCE_MS };
const folder = makeFolder();
const machine = { HOME: folder, PATH: process.env['PATH'] };
let server: Awaited<ReturnType<typeof startServer>>;
let env: Record<string, string | undefined>;
before(async () => {
  if (skip !== undefined) return;
  server = await startServer(join(folder, 'data'), ['--limits', 'off'], machine);
  env = { ...machine, SIGNALBOX_URL: server.url, SIGNALBOX_TOKEN: server.token };
  // As if the packages had been installed.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

async function turn(flag: string, isOn: boolean): Promise<void> {
  const { status } = await fetch(`${server.url}/api/v2/flags/default/${flag}`, {
    method: 'PATCH',
    headers: { ...SEMANTIC, authorization: server.token! },
    body: JSON.stringify({
      environmentKey: 'production',
      instructions: [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }],
    }),
  });
  assert.equal(status, 200);
}

test('flag-sdks.md', options, async (t) => {
  await followGuide('docs/guide/flag-sdks.md', { cwd: folder, env, replace: { 'npm install': 'true' } });
  if (noBrowser !== false) return t.diagnostic(noBrowser);

  const site = createServer(({ url = '' }, response) => {
    const [, name, ending] = /^\/(app-\d)\.(html|js)$/.exec(url) ?? [];
    if (name === undefined) return response.writeHead(404).end();
    const type = ending === 'html' ? 'text/html' : 'text/javascript';
    return response
      .setHeader('content-type', `${type}; charset=utf-8`)
      .end(readFileSync(join(folder, 'site', `${name}.${ending}`)));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.after(() => site.close());
  const browser = await startBrowser();
  const profile = await openProfile(browser);
  t.after(() => browser.close());
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  for (const [app, from, to] of [
    ['app-3', 'false', 'true'],
    ['app-4', 'true', 'false'],
  ]) {
    const page = await profile.newPage();
    await page.goto(`${origin}/${app}.html`);
    await eventually(async () => (await page.title()) === `night mode: ${from}`, `${app} shows the value`);
    await turn('night-mode', to === 'true');
    await eventually(async () => (await page.title()) === `night mode: ${to}`, `${app} shows the change`);
    await page.close();
  }
});

test('the flags in README.md, and the programs that use them', options, async (t) => {
  const answer = await fetch(`${server.url}/api/v2/projects/default/environments/production`, {
    headers: { authorization: server.token! },
  });
  const { apiKey } = (await answer.json()) as { apiKey: string };
  await followGuide('README.md', {
    section: '### Flags: a flag, changed under control',
    cwd: folder,
    env,
    replace: { 'sdk-…': apiKey },
  });
  const { stdout } = spawnSync(process.execPath, ['flag.mjs'], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(stdout, 'true false\n');
  const app = spawn(process.execPath, ['app.mjs'], { cwd: folder, env });
  t.after(() => app.kill());
  let printed = '';
  app.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  await eventually(() => printed === 'true\n', 'the value');
  await turn('dark-mode', false);
  await eventually(() => printed === 'true\nchanged\n', 'the change');
});
