// The pages that sitemaps list.
import { parseSitemap, RobotsTxtFile } from '@crawlee/utils';

/**
 * @param {import('./input.js').CrawlOptions} options
 * @param {string | undefined} proxyUrl
 * @returns {AsyncGenerator<string, void>}
 */
export async function* listSitemapPages({ startUrls, useSitemaps, sitemapUrls }, proxyUrl) {
  const sitemaps = new Set(sitemapUrls);
  if (useSitemaps) {
    for (const origin of new Set(startUrls.map((url) => new URL(url).origin)))
      for (const sitemap of await findSitemaps(origin, proxyUrl)) sitemaps.add(sitemap);
  }
  const sources = [...sitemaps].map((url) => ({ type: /** @type {const} */ ('url'), url }));
  if (sources.length === 0) return;
  for await (const { loc } of parseSitemap(sources, proxyUrl, { maxDepth: 5, sitemapRetries: 2 })) yield loc;
}

/**
 * @param {string} origin
 * @param {string | undefined} proxyUrl
 */
async function findSitemaps(origin, proxyUrl) {
  const named = await RobotsTxtFile.find(origin, proxyUrl).then(
    (robots) => robots.getSitemaps(),
    () => [],
  );
  return named.length > 0 ? named : [`${origin}/sitemap.xml`];
}
