// The Link header of a page, for the host's `page` and `per_page` parameters.
import type { Headers } from '../kernel/http/protocol.ts';
import { neighbours, type Page } from '../kernel/http/reply/page.ts';

/** Returns no header when everything fits on one page. */
export function pageLinks(page: Page, base: string, url: string): Headers {
  const { limit, offset } = page.slice;
  if (offset === 0 && page.total <= limit) return {};
  const { origin } = new URL(base);
  const { pathname, searchParams } = new URL(url, base);
  const { last, ...others } = neighbours(page);
  const shown = page.more['isTotalExact'] === false ? others : { ...others, last };
  const links = Object.entries(shown).map(([rel, start]) => {
    searchParams.set('page', String(start / limit + 1));
    searchParams.set('per_page', String(limit));
    return `<${origin}${pathname}?${searchParams.toString()}>; rel="${rel}"`;
  });
  return { link: links.join(', ') };
}
