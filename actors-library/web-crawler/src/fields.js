// Fields of items by CSS selectors.
import { createRequire } from 'node:module';

/**
 * The same copy that Crawlee has loaded.
 * @type {{ load: (html: string) => CheerioAPI }}
 */
const { load } = createRequire(import.meta.url)('cheerio');

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} selector
 * @property {string | undefined} attribute
 * @property {boolean} all
 * @property {boolean} html
 * @property {boolean} number
 */

/** @typedef {import('@crawlee/cheerio').CheerioCrawlingContext['$']} CheerioAPI */
/** @typedef {Exclude<Parameters<CheerioAPI>[0], string | undefined>} PageElement */

const OPTIONS = ['selector', 'attribute', 'all', 'html', 'number'];
/** Attributes that are addresses: they are made absolute. */
const ADDRESSES = ['href', 'src', 'action', 'poster', 'cite', 'data-src', 'data-href'];

/**
 * @param {unknown} given
 * @returns {Field[]}
 */
export function parseFields(given) {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('fields must be an object: {"title": "h1"}.');
  return Object.entries(given).map(([name, value]) => parseField(name, value));
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {Field}
 */
function parseField(name, value) {
  const given = /** @type {Record<string, unknown>} */ (
    typeof value === 'string' ? { selector: value } : value
  );
  const { selector, attribute, all = false, html = false, number = false } = given ?? {};
  if (typeof selector !== 'string' || selector.trim() === '')
    throw new Error(`fields.${name} must be a CSS selector, or an object with one: {"selector": "h1"}.`);
  const unknown = Object.keys(given).find((option) => !OPTIONS.includes(option));
  if (unknown !== undefined)
    throw new Error(
      `fields.${name} has the unknown option ${unknown}: the options are ${OPTIONS.join(', ')}.`,
    );
  if (attribute !== undefined && typeof attribute !== 'string')
    throw new Error(`fields.${name}.attribute must be the name of an attribute.`);
  for (const [option, flag] of Object.entries({ all, html, number }))
    if (typeof flag !== 'boolean') throw new Error(`fields.${name}.${option} must be true or false.`);
  checkSelector(selector, name);
  return { name, selector, attribute, all: all === true, html: html === true, number: number === true };
}

/**
 * @param {string} selector
 * @param {string} name
 */
function checkSelector(selector, name) {
  try {
    load('<p></p>')(selector);
  } catch (error) {
    throw new Error(
      `fields.${name}: ${JSON.stringify(selector)} is no CSS selector (${/** @type {Error} */ (error).message}).`,
      { cause: error },
    );
  }
}

/**
 * One item of the whole page, or one for each match of the selector.
 * @param {CheerioAPI} $
 * @param {readonly Field[]} fields
 * @param {{ itemSelector?: string | undefined, url: string }} page
 * @returns {Record<string, unknown>[]}
 */
export function extractItems($, fields, { itemSelector, url }) {
  // Addresses are relative to what the page says, or to where it is.
  const base = URL.parse($('base[href]').attr('href') ?? '', url)?.href ?? url;
  /** @type {(PageElement | undefined)[]} */
  const roots = itemSelector === undefined ? [undefined] : $(itemSelector).toArray();
  return roots.map((root) =>
    Object.fromEntries(fields.map((field) => [field.name, extractField($, root, field, base)])),
  );
}

/**
 * @param {CheerioAPI} $
 * @param {PageElement | undefined} root
 * @param {Field} field
 * @param {string} base
 */
function extractField($, root, field, base) {
  const found = root === undefined ? $(field.selector) : $(root).find(field.selector);
  const elements = (field.all ? found : found.first()).toArray();
  const values = elements.map((element) => valueOf($, element, field, base));
  return field.all ? values.filter((value) => value !== null) : (values[0] ?? null);
}

/**
 * @param {CheerioAPI} $
 * @param {PageElement} element
 * @param {Field} field
 * @param {string} base
 */
function valueOf($, element, { attribute, html, number }, base) {
  const text = textOf($, element, attribute, html);
  if (text === undefined) return null;
  if (number) return parseNumber(text);
  if (attribute !== undefined && ADDRESSES.includes(attribute)) return URL.parse(text, base)?.href ?? text;
  return text;
}

/**
 * @param {CheerioAPI} $
 * @param {PageElement} element
 * @param {string | undefined} attribute
 * @param {boolean} html
 * @returns {string | undefined}
 */
function textOf($, element, attribute, html) {
  if (attribute !== undefined) return $(element).attr(attribute)?.trim();
  if (html) return $(element).html()?.trim();
  return $(element).text().replaceAll(/\s+/g, ' ').trim();
}

/**
 * The first number in a text as people write it: `€ 1.234,50`, `1 234.5`, `-7`. Null where there is none.
 * @param {string} text
 * @returns {number | null}
 */
export function parseNumber(text) {
  const written = /-?\d(?:[\d.,'’\u00A0\u202F ]*\d)?/.exec(text)?.[0].replaceAll(/['’\u00A0\u202F ]/g, '');
  if (written === undefined) return null;
  const last = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','));
  if (last === -1) return Number(written);
  const mark = /** @type {string} */ (written[last]);
  const isOnly = !written.includes(mark === '.' ? ',' : '.');
  const isThousands = isOnly && (written.indexOf(mark) !== last || /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(written));
  const whole = written.slice(0, isThousands ? undefined : last).replaceAll(/[.,]/g, '');
  return Number(isThousands ? whole : `${whole}.${written.slice(last + 1)}`);
}
