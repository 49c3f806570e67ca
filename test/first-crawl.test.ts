// The guide "Your first crawl", and the Actors in the README: their commands, against a server in a process of its own and a local site.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder, startServer } from '../src/cli/fixture.ts';
import { startSite } from './clients/site.ts';
import { startReader, whatIsShown } from './guide-reader.ts';
import { followGuide } from './guides.ts';

const skip =
  (spawnSync('bash', ['--version']).error !== undefined && 'needs bash') ||
  (spawnSync('curl', ['--version']).error !== undefined && 'needs curl');

test('the commands of the guide lead to a table of results', { skip }, async (t) => {
  const site = await startSite(20);
  t.after(() => site.close());
  const folder = makeFolder();
  const env = { HOME: homedir(), PATH: process.env['PATH'] };
  const server = await startServer(join(folder, 'data'), [], env);
  await followGuide('docs/guide/first-crawl.md', {
    cwd: folder,
    env,
    replace: {
      ...whatIsShown(server.url, server.token!),
      'https://crawlee.dev/js': `${site.url}/page/0`,
    },
  });
  const table = readFileSync(join(folder, 'results.csv'), 'utf8').replace('\uFEFF', '').trim();
  const [header, ...rows] = table.split(/\r?\n/);
  assert.deepEqual([header, rows.length], ['url,title', 10]);
  assert.ok(rows.includes(`${site.url}/page/0,Page 0`));
});

test('the Actors in README.md', { skip }, async (t) => {
  const site = await startSite(20);
  t.after(() => site.close());
  const reader = await startReader();
  t.after(() => reader.server.stop());
  await reader.follow('README.md', {
    sections: ['## A tour', '### Actors: storages', '### Actors: a program that runs'],
    replace: { 'https://crawlee.dev/js': `${site.url}/page/0` },
  });
});
