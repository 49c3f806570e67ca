// The guide "Your first crawl": its commands, against a server in a process of its own and a local site.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder, startServer } from '../src/cli/fixture.ts';
import { startSite } from './clients/site.ts';
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
      'npm start': 'true',
      'http://127.0.0.1:8080': server.url,
      'api-…': server.token!,
      'https://crawlee.dev/js': `${site.url}/page/0`,
    },
  });
  const table = readFileSync(join(folder, 'results.csv'), 'utf8').replace('\uFEFF', '').trim();
  const [header, ...rows] = table.split(/\r?\n/);
  assert.deepEqual([header, rows.length], ['url,title', 10]);
  assert.ok(rows.includes(`${site.url}/page/0,Page 0`));
});
