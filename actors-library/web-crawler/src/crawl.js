// The crawl: fetches pages, follows links, and stores items.
import { CheerioCrawler, enqueueLinks, EnqueueStrategy } from '@crawlee/cheerio';
import { Actor, log } from 'apify';
import { extractItems, parseFields } from './fields.js';
import { Batcher, isRefusal } from './batcher.js';
import { Frontier } from './frontier.js';
import { QueueApi } from './queue-api.js';
import { itemsOf } from './page-function.js';
import { addFailure, countSkipped } from './report.js';
import { listSitemapPages } from './sitemaps.js';

/** @typedef {import('@crawlee/cheerio').CheerioCrawlingContext} Context */

/** Whose items are stored by one call. */
const PAGES_AT_ONCE = 100;
const MAX_BLOCKED_MS = 250;

/**
 * @param {import('./input.js').CrawlOptions} options
 * @param {import('./report.js').Report} report
 */
export async function crawl(options, report) {
  const { maxConcurrency, maxDepth, maxPages, maxRetries, timeoutSecs, respectRobotsTxt } = options;
  const dataset = await Actor.openDataset();
  /** @type {Batcher<Record<string, unknown>[]>} */
  const items = new Batcher((pages) => dataset.pushData(pages.flat()), { size: PAGES_AT_ONCE });
  const frontier = await openFrontier();
  /**
   * Items that the dataset refuses make the page a failed one; other errors end the crawl.
   * @param {string} url
   * @param {Record<string, unknown>[]} found
   */
  const store = async (url, found) => {
    try {
      await items.add(found);
      report.items += found.length;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.succeeded -= 1;
      addFailure(report, {
        url,
        error: `The items cannot be stored: ${/** @type {Error} */ (error).message}`,
        retries: 0,
      });
    }
  };
  const proxyConfiguration = await openProxies(options);
  const linkPatterns = {
    ...patternsOf(options),
    ...(options.includeGlobs.length === 0 && { strategy: EnqueueStrategy.SameHostname }),
  };
  const crawler = new FrontierCrawler(frontier, {
    maxConcurrency,
    autoscaledPoolOptions: {
      desiredConcurrency: maxConcurrency,
      // Programs of a server have low priority: a short wait for a processor is no reason to crawl one page at a time.
      snapshotterOptions: { maxBlockedMillis: MAX_BLOCKED_MS },
    },
    maxRequestsPerCrawl: maxPages,
    maxRequestRetries: maxRetries,
    maxCrawlDepth: maxDepth,
    navigationTimeoutSecs: timeoutSecs,
    requestHandlerTimeoutSecs: timeoutSecs,
    respectRobotsTxtFile: respectRobotsTxt,
    // Sessions are for sites that one would log in to.
    useSessionPool: false,
    persistCookiesPerSession: false,
    ...(options.maxRequestsPerMinute > 0 && { maxRequestsPerMinute: options.maxRequestsPerMinute }),
    ...(proxyConfiguration && { proxyConfiguration }),
    onSkippedRequest: ({ reason }) => countSkipped(report, reason),
    async requestHandler(context) {
      refuseErrors(context);
      if (context.request.crawlDepth < maxDepth) await context.enqueueLinks(linkPatterns);
      const found = await readItems(context, options);
      const stored = found.length === 0 ? Promise.resolve() : store(context.request.url, found);
      if (frontier === undefined) await stored;
      else frontier.handleAfter(context.request, stored);
      report.succeeded += 1;
    },
    async failedRequestHandler({ request }, error) {
      const failure = { url: request.url, error: error.message, retries: request.retryCount };
      addFailure(report, failure);
      log.warning(`${failure.url} failed: ${failure.error}`);
      if (options.errorsAs === 'items') await items.add([failure]);
    },
  });
  await (
    await crawler.addRequests(options.startUrls)
  ).waitForAllRequestsToBeAdded;
  const proxyUrl = await proxyConfiguration?.newUrl();
  await addAll(crawler, listSitemapPages(options, proxyUrl), options);
  await crawler.run();
  await frontier?.flush();
}

class FrontierCrawler extends CheerioCrawler {
  /**
   * This release of Crawlee has the option `requestManager`, and its HTTP crawlers refuse it.
   * @param {Frontier | undefined} frontier
   * @param {import('@crawlee/cheerio').CheerioCrawlerOptions} options
   */
  constructor(frontier, options) {
    super(options);
    if (frontier === undefined) return;
    /** @type {any} */ (this).requestManager = frontier;
    /** @type {any} */ (this).requestQueue = frontier;
  }

  /**
   * The last message would hide that of the Actor.
   * @override
   * @param {string} message
   * @param {{ isStatusMessageTerminal?: boolean, level?: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' }} [options]
   */
  async setStatusMessage(message, options = {}) {
    if (options.isStatusMessageTerminal !== true) await super.setStatusMessage(message, options);
  }
}

/** On a server; elsewhere Crawlee's own queue does. */
async function openFrontier() {
  if (!Actor.isAtHome()) return undefined;
  const { baseUrl, token = '' } = Actor.apifyClient;
  const { defaultRequestQueueId: queueId } = Actor.getEnv();
  return await Frontier.open(new QueueApi({ baseUrl, token, queueId: /** @type {string} */ (queueId) }));
}

const BATCH_SIZE = 500;

/**
 * Pages of sitemaps, as far as the patterns allow them.
 * @param {CheerioCrawler} crawler
 * @param {AsyncIterable<string>} pages
 * @param {import('./input.js').CrawlOptions} options
 */
async function addAll(crawler, pages, options) {
  const requestQueue = await crawler.getRequestQueue();
  let left = options.maxPages;
  /** @param {string[]} urls */
  const add = async (urls) => {
    const { processedRequests } = await enqueueLinks({
      ...patternsOf(options),
      urls,
      requestQueue,
      limit: left,
    });
    left -= processedRequests.length;
  };
  let batch = [];
  for await (const page of pages) {
    if (left <= 0) return;
    batch.push(page);
    if (batch.length === BATCH_SIZE) await add(batch.splice(0));
  }
  if (batch.length > 0) await add(batch);
}

/** @param {import('./input.js').CrawlOptions} options */
async function openProxies({ proxyUrls }) {
  return proxyUrls.length === 0 ? undefined : await Actor.createProxyConfiguration({ proxyUrls });
}

/**
 * Pages that say that there is nothing are no results. Only those that may come later are tried again.
 * @param {Context} context
 */
function refuseErrors({ request, response }) {
  const { statusCode: status = 200 } = response;
  if (status < 400) return;
  if (status !== 408 && status !== 425 && status !== 429) request.noRetry = true;
  throw new Error(`The page answers with status ${status}.`);
}

/** @param {import('./input.js').CrawlOptions} options */
function patternsOf({ includeGlobs, excludeGlobs }) {
  return {
    strategy: EnqueueStrategy.All,
    ...(includeGlobs.length > 0 && { globs: includeGlobs }),
    ...(excludeGlobs.length > 0 && { exclude: excludeGlobs.map((glob) => ({ glob })) }),
  };
}

/**
 * @param {Context} context
 * @param {import('./input.js').CrawlOptions} options
 */
async function readItems(context, { fields, itemSelector, pageFunction }) {
  const { $, request } = context;
  const url = withoutFragment(request.loadedUrl ?? request.url);
  if (pageFunction !== undefined) return itemsOf(await pageFunction(pageContextOf(context, url)));
  const found = extractItems($, fields ?? DEFAULT_FIELDS, { itemSelector, url });
  return found.map((item) => ({ url, ...item }));
}

/** @param {string} url */
function withoutFragment(url) {
  return url.replace(/#.*/, '');
}

const DEFAULT_FIELDS = parseFields({
  title: 'title',
  description: { selector: 'meta[name="description"]', attribute: 'content' },
});

/**
 * @param {Context} context
 * @param {string} url
 * @returns {import('./page-function.js').PageContext}
 */
function pageContextOf({ $, request, response, body, addRequests }, url) {
  return {
    $,
    request: { url: request.url, loadedUrl: url, depth: request.crawlDepth, userData: request.userData },
    response: { status: response.statusCode ?? 200, headers: response.headers },
    body: body.toString(),
    extract: (fields, itemSelector) => extractItems($, parseFields(fields), { itemSelector, url }),
    enqueue: async (urls) => {
      const requests = [urls].flat().map((one) => ({
        url: new URL(one, url).href,
        crawlDepth: request.crawlDepth + 1,
      }));
      await addRequests(requests);
    },
    log,
  };
}
