// Pages of another origin than the server's, in a real browser, with an app that uses packages from npm.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ELSEWHERE, openProfile, startBrowser } from './browser.ts';

export class AppPages {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #site: Server;
  /** Blank pages for the next tests: a new page takes three times as long, as it gets a process of its own. */
  readonly #idle: Page[] = [];

  private constructor(browser: Browser, context: BrowserContext, site: Server) {
    this.#browser = browser;
    this.#context = context;
    this.#site = site;
  }

  /** The app is the text of a module. */
  static async start(app: string): Promise<AppPages> {
    const { outputFiles } = await build({
      stdin: { contents: app, resolveDir: import.meta.dirname },
      bundle: true,
      format: 'iife',
      write: false,
    });
    const html = `<!doctype html><script>${outputFiles[0]!.text.replaceAll('</script', '<\\/script')}</script>`;
    const browser = await startBrowser();
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    return new AppPages(browser, await openProfile(browser), site);
  }

  /** Only pages of the loopback address are secure, and get what browsers offer to such pages. */
  async open(host: '127.0.0.1' | typeof ELSEWHERE = ELSEWHERE): Promise<Page> {
    const page = this.#idle.pop() ?? (await this.#context.newPage());
    await page.goto(this.#urlOn(host));
    return page;
  }

  /** Ends the app and clears what it has stored, as SDKs keep flags in the storage of their page. */
  async leave(page: Page): Promise<void> {
    await page.goto('about:blank');
    const devtools = await this.#context.newCDPSession(page);
    for (const host of ['127.0.0.1', ELSEWHERE]) {
      const { origin } = new URL(this.#urlOn(host));
      await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    }
    await devtools.send('Network.clearBrowserCache');
    await devtools.detach();
    this.#idle.push(page);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#site.close();
  }

  #urlOn(host: string): string {
    return `http://${host}:${(this.#site.address() as AddressInfo).port}/`;
  }
}
