// The console on two nodes: what changes on one is seen by a browser that looks at the other.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { insertMember } from '../../src/kernel/identity/store-members.ts';
import { onEngine } from '../engines.ts';
import { PATIENCE_MS } from '../eventually.ts';
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
});
