// The console in a browser: somebody who is logged in, and what a page must never do while it is looked at.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { KnownCaller } from '../../src/kernel/identity/caller.ts';
import { openBrowser } from '../people.ts';
import type { TestServer } from '../server.ts';
import { openProfile } from './browser.ts';

type StorageState = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>;

export interface ConsolePage {
  page: Page;
  /** Errors of the page, violations of its policy, and requests to other origins, since the last look. */
  takeProblems(): string[];
  close(): Promise<void>;
}

/**
 * A profile of its own, logged in as the member, on the page at `path` below the console. It has its session from a call: the pages of
 * the login, after which the console would be loaded twice, are opened by tests of theirs.
 */
export async function openConsole(
  browser: Browser,
  server: TestServer,
  member: KnownCaller['member'],
  path = '',
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const storageState = await openSession(server, member);
  const context = await openProfile(browser, { ...options, storageState });
  const page = await context.newPage();
  let problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  // Policies that are violated are said there, too. A refused call is the page's to show.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== new URL(server.url).origin)
      problems.push(`elsewhere: ${request.url()}`);
  });
  await page.goto(`${server.url}/console${path}`);
  await page.locator('#main').waitFor();
  return {
    page,
    takeProblems() {
      const found = problems;
      problems = [];
      return found;
    },
    close: () => context.close(),
  };
}

/** What a browser keeps of a login. */
async function openSession(server: TestServer, member: KnownCaller['member']): Promise<StorageState> {
  const { cookie, 'x-signalbox-session': secret } = await openBrowser(server, member);
  const [name = '', value = ''] = cookie.split('=');
  const { hostname, origin } = new URL(server.url);
  return {
    cookies: [
      {
        name,
        value,
        domain: hostname,
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin, localStorage: [{ name: 'signalbox_session', value: secret }] }],
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What axe finds serious or critical on the page as it is now, one line each. In another theme only colours differ. */
export async function findBarriers(page: Page, only: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe);
  // What it would load before is for rules about rotated screens and playing media, of which there are none.
  const options = {
    resultTypes: ['violations'],
    preload: false,
    ...(only === 'colours' && { runOnly: ['color-contrast'] }),
  };
  const found = await page.evaluate<AxeFinding[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

export const THEMES = ['light', 'dark'] as const;
export const WIDTHS = [360, 1440] as const;
