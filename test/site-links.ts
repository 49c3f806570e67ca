// Links of the flags API to pages: each leads to a page that the console has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

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
  const [path = ''] = href.replace('/console', '').split('?');
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
export function checkSiteLinks(path: string, text: string): void {
  if (!path.startsWith('/api/v2/') || !text.includes('"_site"')) return;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  for (const href of new Set(sitesIn(body))) checkSiteLink(href);
}
