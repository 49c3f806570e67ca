// A page function: source text of the input that turns a page into items.

/**
 * @typedef {object} PageContext
 * @property {import('./fields.js').CheerioAPI} $
 * @property {{ url: string, loadedUrl: string, depth: number, userData: object }} request
 * @property {{ status: number, headers: object }} response
 * @property {string} body
 * @property {(fields: object, itemSelector?: string) => Record<string, unknown>[]} extract
 * @property {(urls: string | string[]) => Promise<void>} enqueue
 * @property {import('@crawlee/cheerio').Log} log
 */

/** @typedef {(context: PageContext) => unknown} PageFunction */

/**
 * It runs in this process, which is a sandbox already: it can do what this Actor can.
 * @param {unknown} source
 * @returns {PageFunction}
 */
export function compilePageFunction(source) {
  if (typeof source !== 'string') throw new Error('pageFunction must be the text of a JavaScript function.');
  const text = source
    .trim()
    .replace(/;+$/, '')
    .replace(/^export\s+default\s+/, '');
  let compiled;
  try {
    // oxlint-disable-next-line typescript/no-implied-eval
    compiled = new Function(`'use strict'; return (${text}\n);`)();
  } catch (error) {
    throw new Error(`pageFunction cannot be compiled: ${/** @type {Error} */ (error).message}.`, {
      cause: error,
    });
  }
  if (typeof compiled !== 'function')
    throw new Error(
      'pageFunction must be a function: async ({ $, request }) => ({ title: $("h1").text() }).',
    );
  return compiled;
}

/**
 * What a page function returned, as a list of items.
 * @param {unknown} result
 * @returns {Record<string, unknown>[]}
 */
export function itemsOf(result) {
  if (result === undefined || result === null) return [];
  const items = Array.isArray(result) ? result : [result];
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw new Error(`The page function must return objects, not ${JSON.stringify(item)}.`);
  }
  return items;
}
