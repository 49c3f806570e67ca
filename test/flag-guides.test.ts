// The guide to SDKs is true: its commands are run as they stand there, and its pages are opened in a browser.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeFolder, startServer } from '../src/cli/fixture.ts';
import { SEMANTIC } from './conformance/flags-feature-flag-calls.ts';
import { noBrowser, startBrowser } from './e2e/browser.ts';
import { eventually, PATIENCE_MS } from './eventually.ts';
import { followGuide } from './guides.ts';

const ROOT = dirname(import.meta.dirname);

const skip = ['bash', 'curl', 'npx']
  .filter((program) => spawnSync(program, ['--version']).error !== undefined)
  .map((program) => `needs ${program}`)[0];

test('flag-sdks.md', { skip: skip ?? false, timeout: 5 * PATIENCE_MS }, async (t) => {
  const folder = makeFolder();
  const machine = { HOME: folder, PATH: process.env['PATH'] };
  const server = await startServer(join(folder, 'data'), ['--limits', 'off'], machine);
  // As if the packages had been installed.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await followGuide('docs/guide/flag-sdks.md', {
    cwd: folder,
    env: { ...machine, SIGNALBOX_URL: server.url, SIGNALBOX_TOKEN: server.token },
    replace: { 'npm install': 'true' },
  });
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
  t.after(() => browser.close());
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  for (const [app, from, to] of [
    ['app-3', 'false', 'true'],
    ['app-4', 'true', 'false'],
  ]) {
    const page = await browser.newPage();
    await page.goto(`${origin}/${app}.html`);
    await eventually(async () => (await page.title()) === `night mode: ${from}`, `${app} shows the value`);
    const kind = to === 'true' ? 'turnFlagOn' : 'turnFlagOff';
    const { status } = await fetch(`${server.url}/api/v2/flags/default/night-mode`, {
      method: 'PATCH',
      headers: { ...SEMANTIC, authorization: server.token! },
      body: JSON.stringify({ environmentKey: 'production', instructions: [{ kind }] }),
    });
    assert.equal(status, 200);
    await eventually(async () => (await page.title()) === `night mode: ${to}`, `${app} shows the change`);
    await page.close();
  }
});
