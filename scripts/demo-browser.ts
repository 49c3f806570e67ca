// A server with the examples of the demo, and a browser whose pages are logged in to it: for pictures of the console.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openProfile, startBrowser } from '../test/e2e/browser.ts';
import { buildConsole } from './console.ts';

const LAUNCH = join(dirname(import.meta.dirname), 'launch.mjs');

export interface DemoBrowser {
  url: string;
  /** A page in a profile of its own, logged in as the administrator. */
  open(options: BrowserContextOptions): Promise<Page>;
}

export async function withDemo(use: (demo: DemoBrowser) => Promise<void>): Promise<void> {
  await buildConsole();
  const data = mkdtempSync(join(tmpdir(), 'signalbox-gallery-'));
  const env = { ...process.env, SIGNALBOX_DATA: data, PORT: '0', LOG_LEVEL: 'warn' };
  const { url, stop } = await startDemo(env);
  const browser = await startBrowser();
  try {
    await use({
      url,
      async open(options) {
        const page = await (await openProfile(browser, options)).newPage();
        await logInTo(page, env);
        return page;
      },
    });
  } finally {
    await browser.close();
    stop();
    rmSync(data, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Its address, once it listens. */
async function startDemo(env: NodeJS.ProcessEnv): Promise<{ url: string; stop: () => void }> {
  const server = spawn(process.execPath, [LAUNCH, 'serve', '--demo'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of server.stdout.setEncoding('utf8')) {
    const [, url] = /"url":"(http[^"]+)"/.exec(String(text)) ?? [];
    if (url !== undefined) return { url, stop: () => server.kill() };
  }
  throw new Error('The server did not start.');
}

async function logInTo(page: Page, env: NodeJS.ProcessEnv): Promise<void> {
  const status = execFileSync(process.execPath, [LAUNCH, 'status', '--login', '--json'], {
    env,
    encoding: 'utf8',
  });
  const { loginLink } = JSON.parse(status) as { loginLink: string };
  await page.goto(loginLink);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/console');
}
