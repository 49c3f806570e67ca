// The console on two nodes: what changes on one is seen by a browser that looks at the other.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { insertMember } from '../../src/kernel/identity/store-members.ts';
import { onEngine } from '../engines.ts';
import { PATIENCE_MS } from '../eventually.ts';
import { joinHost } from '../host-people.ts';
import { script } from '../actor-sources.ts';
import { createActor, startRun } from '../actors.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { openConsole } from './console.ts';

// A SQLite file has one node.
onEngine('postgres', (engine) => {
  const nodes: TestServer[] = [];
  after(() => Promise.all(nodes.map((node) => node.stop())));

  test(
    'a change on another node is announced on an open page',
    { skip: noBrowser, timeout: 5 * PATIENCE_MS },
    async () => {
      const database = await engine.migratedDatabase();
      nodes.push(
        await startServer({ database, limits: 'off' }),
        await startServer({ database, limits: 'off' }),
      );
      const [one, two] = nodes as [TestServer, TestServer];
      const { db, clock } = one.app.kernel;
      const ada = await insertMember(
        db,
        { username: 'ada', email: 'ada@example.com', role: 'owner' },
        null,
        clock.now(),
      );
      const first = { key: 'first', name: 'First' };
      assert.equal((await one.call('/api/v2/flags/default', { method: 'POST', body: first })).status, 201);
      const browser = await startBrowser();
      try {
        const { page, takeProblems } = await openConsole(browser, one, ada, '/account/audit');
        await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
        // What changed before the list was read is in it.
        await page.locator('tbody tr').first().waitFor();
        const body = { key: 'elsewhere', name: 'Made elsewhere' };
        assert.equal((await two.call('/api/v2/flags/default', { method: 'POST', body })).status, 201);
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByText('Made elsewhere').first().waitFor();
        assert.deepEqual(takeProblems(), []);
      } finally {
        await browser.close();
      }
    },
  );

  test(
    'a run that another node executes is followed, with its log and its end',
    { skip: noBrowser, timeout: 5 * PATIENCE_MS },
    async () => {
      const database = await engine.migratedDatabase();
      const blobs = mkdtempSync(join(tmpdir(), 'nodes-blobs-'));
      const [api, worker] = [
        await startServer({ database, blobs, limits: 'off', role: 'api' }),
        await startServer({ database, blobs, limits: 'off' }),
      ];
      nodes.push(api, worker);
      const ada = await joinHost(api, 'ada', { role: 'owner' });
      const source = script(`
for (let line = 1; line <= 40; line += 1) {
  console.log('line ' + line);
  await sleep(50);
}
await pushData([{ done: true }]);
`);
      const actor = await createActor(api, source, { token: ada.token, name: 'elsewhere' });
      const run = await startRun(api, actor['id'] as string, { token: ada.token, input: {} });
      const browser = await startBrowser();
      try {
        const { page, takeProblems } = await openConsole(browser, api, ada.member, `/runs/${run['id']}`);
        await page.locator('.log__x', { hasText: 'line 40' }).waitFor();
        await page.locator('.ph .st', { hasText: 'Succeeded' }).waitFor();
        await page.getByRole('link', { name: /^Output/ }).click();
        await page.getByText('true', { exact: true }).waitFor();
        assert.deepEqual(takeProblems(), []);
      } finally {
        await browser.close();
        rmSync(blobs, { recursive: true, force: true });
      }
    },
  );
});
