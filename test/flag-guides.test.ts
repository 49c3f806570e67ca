// The guide to SDKs and the flags of the README are true: commands are run as they stand there, and pages opened in a browser.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { SEMANTIC } from './conformance/flags/feature-flags/feature-flag-calls.ts';
import { noBrowser, openProfile, startBrowser } from './e2e/browser.ts';
import { eventually, PATIENCE_MS } from './eventually.ts';
import { startReader, type Reader } from './guide-reader.ts';

const skip = ['bash', 'curl', 'npx']
  .filter((program) => spawnSync(program, ['--version']).error !== undefined)
  .map((program) => `needs ${program}`)[0];

const options = { skip: skip ?? false, timeout: 5 * PATIENCE_MS };

async function turn({ server }: Reader, flag: string, isOn: boolean): Promise<void> {
  const { status } = await server.call(`/api/v2/flags/default/${flag}`, {
    method: 'PATCH',
    headers: SEMANTIC,
    body: {
      environmentKey: 'production',
      instructions: [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }],
    },
  });
  assert.equal(status, 200);
}

test('start-flags.md and flag-sdks.md', options, async (t) => {
  const reader = await startReader();
  t.after(() => reader.server.stop());
  await reader.follow('docs/guide/flag-sdks.md', { replace: { 'npm install': 'true' } });
  await reader.follow('docs/guide/start-flags.md', { replace: { 'npm install': 'true' } });
  if (noBrowser !== false) return t.diagnostic(noBrowser);

  const site = createServer(({ url = '' }, response) => {
    const [, name, ending] = /^\/(app-\d)\.(html|js)$/.exec(url) ?? [];
    if (name === undefined) return response.writeHead(404).end();
    const type = ending === 'html' ? 'text/html' : 'text/javascript';
    return response
      .setHeader('content-type', `${type}; charset=utf-8`)
      .end(readFileSync(join(reader.cwd, 'site', `${name}.${ending}`)));
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
    await turn(reader, 'night-mode', to === 'true');
    await eventually(async () => (await page.title()) === `night mode: ${to}`, `${app} shows the change`);
    await page.close();
  }
});

test('the flags in README.md, and the programs that use them', options, async (t) => {
  const reader = await startReader();
  t.after(() => reader.server.stop());
  await reader.follow('README.md', { sections: ['## A tour', '### Flags: a flag, changed under control'] });
  const { json } = await reader.server.call('/api/v2/projects/default/environments/production');
  const { cwd } = reader;
  const env = { ...reader.env, SIGNALBOX_URL: reader.server.url, SDK_KEY: json['apiKey'] as string };
  const app = spawn(process.execPath, ['app.mjs'], { cwd, env });
  t.after(() => app.kill());
  let printed = '';
  app.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  await eventually(() => printed === 'true\n', 'the value');
  await turn(reader, 'dark-mode', false);
  await eventually(() => printed === 'true\nchanged\n', 'the change');
});
