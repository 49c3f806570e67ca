// Every page of the console with the demo's examples, in one load each: themes and widths, barriers, policy, other origins.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Request } from 'playwright-core';
import { requireAdmin } from '../../src/kernel/identity/first-start.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { PLACES } from './console-places.ts';
import { findBarriers, openConsole, THEMES, WIDTHS, type ConsolePage } from './console.ts';

/** Of a page of a repository, the stream of events among them. */
const MOST_CALLS = 12;

describe('every page of the console', { skip: noBrowser, timeout: 20 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let shown: ConsolePage;

  before(async () => {
    // What the examples would build and run is left to workers, of which there are none.
    server = await startServer({ demo: true, limits: 'off', role: 'api' });
    await eventually(
      async () => (await server.call('/repos/admin/demo-shop/git/ref/tags/v0.2.0')).status === 200,
      'the end of the examples of code',
    );
    const admin = await requireAdmin(server.app.kernel.engine);
    browser = await startBrowser();
    shown = await openConsole(browser, server, admin);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  for (const [name, path] of Object.entries(PLACES))
    test(`${name} has no barrier, light and dark, narrow and wide, and keeps to its policy`, async () => {
      const { page, takeProblems } = shown;
      // What is asked again, as long as it is being found out, counts once.
      const calls = new Set<string>();
      const keep = (request: Request) => {
        if (request.resourceType() === 'fetch') calls.add(request.url());
      };
      page.on('request', keep);
      await page.goto(`${server.url}/console${path}`);
      await settle(page);
      for (const width of WIDTHS)
        // The sheet of states has each of them in both themes.
        for (const colorScheme of name === 'states' ? (['light'] as const) : THEMES) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await settle(page);
          const barriers = await findBarriers(page, colorScheme === 'dark' ? 'colours' : 'all');
          assert.deepEqual(barriers, [], `${colorScheme}, ${width} px`);
          const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
          assert.equal(isWide, false, `scrolls sideways at ${width} px`);
        }
      page.off('request', keep);
      if (path.startsWith('/code/')) assert.ok(calls.size <= MOST_CALLS, [...calls].join('\n'));
      assert.deepEqual(takeProblems(), []);
    });
});

/** All that the page has asked for is there and drawn. */
async function settle(page: Page): Promise<void> {
  await page.locator('#main h1').first().waitFor();
  await page.locator('main:not(.states) .skel').first().waitFor({ state: 'detached' });
}
