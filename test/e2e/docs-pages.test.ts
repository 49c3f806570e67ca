// The documentation in a real browser: everything can be read without scrolling sideways, on a screen and on a phone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { PATIENCE_MS } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, openProfile, startBrowser } from './browser.ts';

const PAGES = [
  '/docs',
  '/docs/flags',
  '/docs/actors',
  '/docs/host',
  '/docs/host/issues',
  '/docs/actors/errors',
  '/docs/flags/errors',
  '/docs/limits',
  '/docs/search?q=flag',
  '/docs/host/versions',
  '/docs/guide',
  '/docs/guide/flag-sdks',
];

/** Elements with content that is wider than they are, and texts that end outside of the window or have no room for a word. */
const CUT_OFF = `(() => {
  const found = [];
  for (const element of document.querySelectorAll('html, body, body *')) {
    const { scrollWidth, clientWidth, tagName, className } = element;
    // Samples and long lists are moved by themselves.
    if (['PRE', 'NAV'].includes(tagName)) continue;
    if (clientWidth > 0 && scrollWidth > clientWidth) found.push(tagName + '.' + className + ' is cut off');
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    if (text === '' || texts.currentNode.parentElement.closest('script, style, pre, nav, textarea, details:not([open])') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { left, right, width } = range.getBoundingClientRect();
    if (left < 0 || right > innerWidth) found.push(text + ' is outside');
    const { fontSize } = getComputedStyle(texts.currentNode.parentElement);
    if (text.length > 40 && width < 10 * parseFloat(fontSize)) found.push(text + ' has a column of ' + width);
  }
  return found;
})()`;

describe('the documentation', { skip: noBrowser, timeout: 5 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startServer();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  // The colours do not change the layout.
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    test(`no text is cut off at ${width} pixels`, async (t) => {
      const context = await openProfile(browser, { colorScheme, viewport: { width, height: 800 } });
      t.after(() => context.close());
      const page = await context.newPage();
      for (const path of PAGES) {
        const answer = await page.goto(server.url + path);
        assert.equal(answer!.status(), 200, path);
        const found = await page.evaluate<string[]>(CUT_OFF);
        assert.deepEqual(found.slice(0, 5), [], `${path}, ${found.length} in all`);
      }
    });
  }
});
