// Links of the flags API and of the host to pages: each leads to a page that the console or the server has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { appPageModule } from '../src/host/app-pages/module.ts';
import { consolePathOf } from '../src/signalbox/console/host-addresses.ts';

let patterns: RegExp[] | undefined;

/** From the console's list of routes. */
function readPatterns(): RegExp[] {
  const routes = readFileSync(new URL('../console/app/pages.tsx', import.meta.url), 'utf8');
  return [...routes.matchAll(/page\(\s*'([^']+)'/g)].map(([, path = '']) => {
    const pattern = path.replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?').replaceAll(/:\w+/g, '[^/]+');
    return new RegExp(`^${pattern.replace('/*?', '(?:/.*)?')}$`);
  });
}

/** Fails unless the address is that of a page. */
export function checkSiteLink(href: string): void {
  assert.match(href, /^\/console\//);
  const [path = ''] = href.replace('/console', '').split(/[?#]/);
  patterns ??= readPatterns();
  assert.ok(
    patterns.some((pattern) => pattern.test(path)),
    `${href} is no page of the console`,
  );
}

export function sitesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === '_site' && typeof (one as { href?: unknown } | null)?.href === 'string'
      ? [(one as { href: string }).href]
      : sitesIn(one),
  );
}

/** Every reply that a test gets from the flags API goes through it. */
export function checkSiteLinks(path: string, text: string, publicPath = ''): void {
  if (!path.startsWith('/api/v2/') || !text.includes('"_site"')) return;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  for (const href of new Set(sitesIn(body))) checkSiteLink(href.replace(publicPath, ''));
}

const HTML_URL = /"html_url":"((?:[^"\\]|\\.)*)"/g;

/** Pages of apps are served by the server itself. */
const ownPages = (appPageModule.pages ?? []).map(
  ({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
);
const ownWords = new Set((appPageModule.pages ?? []).map(({ path }) => path.split('/')[1]!));

/** Fails unless a browser that opens the path of an `html_url` is shown a page. */
function checkHtmlUrl(path: string): void {
  if (ownPages.some((pattern) => pattern.test(path))) return;
  const page = consolePathOf(path, (word) => ownWords.has(word));
  assert.ok(page !== undefined, `${path} leads to no page`);
  checkSiteLink(page);
}

/** Every reply that a test gets from the host goes through it. Licenses have their pages elsewhere. */
export function checkHtmlUrls(
  server: string,
  { version, text }: { version: string | null | undefined; text: string },
): void {
  if (version == null) return;
  const found = new Set([...text.matchAll(HTML_URL)].map(([, url = '']) => JSON.parse(`"${url}"`) as string));
  for (const url of found) {
    const { href } = new URL(url, server);
    if (href.startsWith(`${server}/`)) checkHtmlUrl(href.slice(server.length));
  }
}
