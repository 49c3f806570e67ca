// Header templates of webhooks: a JSON object of headers, of which some always have the platform's own values.
import { BadTemplate, parseTemplate, type Renderer, type Template } from './template.ts';

/** These have the platform's values, whatever the template says. */
const FORCED: ReadonlySet<string> = new Set([
  'host',
  'content-type',
  'x-apify-webhook',
  'x-apify-webhook-dispatch-id',
  'x-apify-request-origin',
  'x-platform-webhook',
  'x-platform-webhook-dispatch-id',
  'x-platform-request-origin',
]);

/** These are about the connection or the length of the body: another value could smuggle a second request into it. */
const REFUSED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
// oxlint-disable-next-line no-control-regex -- these are what must not be in a header
const CONTROL = /[\u0000-\u0008\u000A-\u001F\u007F]/;
const MAX_LENGTH = 16_384;
const MAX_HEADERS = 100;

/** Throws `BadTemplate` where it is no object of headers, or has some that a webhook cannot send. */
export function parseHeaderTemplate(text: string, interpolatesStrings: boolean): Template {
  const template = parseTemplate(text, interpolatesStrings);
  // With every variable null.
  const sample: unknown = JSON.parse(
    template.map((segment) => (typeof segment === 'string' ? segment : 'null')).join(''),
  );
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample))
    throw new BadTemplate('must be an object of headers');
  const headers = Object.entries(sample);
  if (headers.length > MAX_HEADERS) throw new BadTemplate(`can have ${MAX_HEADERS} headers`);
  for (const [name, value] of headers) {
    const shown = JSON.stringify(name.slice(0, 100));
    if (!NAME.test(name)) throw new BadTemplate(`has ${shown}, which cannot be the name of a header`);
    if (REFUSED.has(name.toLowerCase()))
      throw new BadTemplate(`has ${shown}, which belongs to the connection and cannot be set`);
    if (typeof value === 'object' && value !== null)
      throw new BadTemplate(`has the header ${shown}, whose value must be a text, a number or a boolean`);
    if (typeof value === 'string' && CONTROL.test(value))
      throw new BadTemplate(
        `has the header ${shown}, whose value must be one line without control characters`,
      );
  }
  return template;
}

/** Headers whose value is null are left out. Line breaks in the values of variables become spaces. */
export function renderHeaders(template: Template, renderer: Renderer): Record<string, string> {
  const rendered = JSON.parse(renderer.render(template, MAX_LENGTH)) as Record<string, unknown>;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(rendered)) {
    if (value === null || FORCED.has(name.toLowerCase())) continue;
    headers[name] = toHeaderValue(typeof value === 'string' ? value : JSON.stringify(value));
  }
  return headers;
}

/** As bytes of UTF-8, because Node sends one byte for each character. */
function toHeaderValue(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not be in a header
  const oneLine = text.replaceAll(/[\u0000-\u001F\u007F]+/g, ' ').trim();
  return Buffer.from(oneLine, 'utf8').toString('latin1');
}
