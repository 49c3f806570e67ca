// Reads the input of a run: checks it, and fills in what is absent.
import { parseFields } from './fields.js';
import { compilePageFunction } from './page-function.js';

/** A mistake in the input, for whom started the run. */
export class InputError extends Error {}

/**
 * @typedef {object} CrawlOptions
 * @property {string[]} startUrls
 * @property {boolean} useSitemaps
 * @property {string[]} sitemapUrls
 * @property {string[]} includeGlobs
 * @property {string[]} excludeGlobs
 * @property {number} maxDepth
 * @property {number} maxPages
 * @property {import('./fields.js').Field[] | undefined} fields
 * @property {string | undefined} itemSelector
 * @property {import('./page-function.js').PageFunction | undefined} pageFunction
 * @property {number} maxConcurrency
 * @property {number} maxRequestsPerMinute
 * @property {number} maxRetries
 * @property {number} timeoutSecs
 * @property {boolean} respectRobotsTxt
 * @property {string[]} proxyUrls
 * @property {'record' | 'items'} errorsAs
 */

/**
 * @param {unknown} given
 * @returns {CrawlOptions}
 */
export function parseInput(given) {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InputError(
      'The input must be a JSON object, such as {"startUrls": [{"url": "https://example.com"}]}.',
    );
  const input = /** @type {Record<string, unknown>} */ (given);
  const startUrls = readList(input, 'startUrls').map((source, index) =>
    readUrl(source, `startUrls[${index}]`),
  );
  const sitemapUrls = readTexts(input, 'sitemapUrls').map((url, index) =>
    readUrl(url, `sitemapUrls[${index}]`),
  );
  if (startUrls.length + sitemapUrls.length === 0)
    throw new InputError('The input has no startUrls: name at least one page to begin with.');
  const { itemSelector, pageFunction } = input;
  if (input['fields'] != null && pageFunction)
    throw new InputError(
      'The input has both fields and a pageFunction: the function can call extract(fields).',
    );
  return {
    startUrls,
    useSitemaps: readBoolean(input, 'useSitemaps', false),
    sitemapUrls,
    includeGlobs: readTexts(input, 'includeGlobs'),
    excludeGlobs: readTexts(input, 'excludeGlobs'),
    maxDepth: readNumber(input, 'maxDepth', 5, 0),
    maxPages: readNumber(input, 'maxPages', 1000, 1),
    fields: input['fields'] == null ? undefined : asInputError(() => parseFields(input['fields'])),
    itemSelector: itemSelector
      ? asInputError(() => parseFields({ item: itemSelector })[0]?.selector)
      : undefined,
    pageFunction: pageFunction ? asInputError(() => compilePageFunction(pageFunction)) : undefined,
    maxConcurrency: readNumber(input, 'maxConcurrency', 10, 1),
    maxRequestsPerMinute: readNumber(input, 'maxRequestsPerMinute', 0, 0),
    maxRetries: readNumber(input, 'maxRetries', 3, 0),
    timeoutSecs: readNumber(input, 'timeoutSecs', 30, 1),
    respectRobotsTxt: readBoolean(input, 'respectRobotsTxt', true),
    proxyUrls: readTexts(input, 'proxyUrls').map((url, index) => readUrl(url, `proxyUrls[${index}]`)),
    errorsAs: input['errorsAs'] === 'items' ? 'items' : 'record',
  };
}

/**
 * @template Result
 * @param {() => Result} read
 * @returns {Result}
 */
function asInputError(read) {
  try {
    return read();
  } catch (error) {
    throw new InputError(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {Record<string, unknown>} input
 * @param {string} name
 * @returns {unknown[]}
 */
function readList(input, name) {
  const value = input[name] ?? [];
  if (!Array.isArray(value)) throw new InputError(`${name} must be a list.`);
  return value;
}

/**
 * @param {Record<string, unknown>} input
 * @param {string} name
 * @returns {string[]}
 */
function readTexts(input, name) {
  return readList(input, name)
    .map((value) => {
      if (typeof value !== 'string') throw new InputError(`${name} must be a list of texts.`);
      return value.trim();
    })
    .filter((value) => value !== '');
}

/**
 * A text, or an object with `url`, as lists of pages have them.
 * @param {unknown} source
 * @param {string} name
 */
function readUrl(source, name) {
  const text = typeof source === 'string' ? source : /** @type {{ url?: unknown } | null} */ (source)?.url;
  const url = typeof text === 'string' ? URL.parse(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InputError(
      `${name} must be a URL that begins with https:// or http://, not ${JSON.stringify(text)}.`,
    );
  return url.href;
}

/**
 * @param {Record<string, unknown>} input
 * @param {string} name
 * @param {number} fallback
 * @param {number} minimum
 */
function readNumber(input, name, fallback, minimum) {
  const value = input[name] ?? fallback;
  if (!Number.isInteger(value) || Number(value) < minimum)
    throw new InputError(`${name} must be a whole number, ${minimum} or more.`);
  return Number(value);
}

/**
 * @param {Record<string, unknown>} input
 * @param {string} name
 * @param {boolean} fallback
 */
function readBoolean(input, name, fallback) {
  const value = input[name] ?? fallback;
  if (typeof value !== 'boolean') throw new InputError(`${name} must be true or false.`);
  return value;
}
