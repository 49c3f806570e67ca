// Templates of webhooks: payloads as JSON with variables in double braces, and headers as a JSON object of which some always have the platform's own values.

/** What the variables stand for, by the first part of their names. */
type TemplateValues = Readonly<Record<string, unknown>>;

/** The first parts of the names of all variables. */
const VARIABLES: ReadonlySet<string> = new Set([
  'userId',
  'createdAt',
  'eventType',
  'eventData',
  'resource',
  'globals',
]);
const GLOBALS: ReadonlySet<string> = new Set(['dateISO', 'dateUnix']);

export const DEFAULT_TEMPLATE = `{
    "userId": {{userId}},
    "createdAt": {{createdAt}},
    "eventType": {{eventType}},
    "eventData": {{eventData}},
    "resource": {{resource}}
}`;

/** Text is rendered as it stands, a variable as a JSON value, and a list of parts as one JSON string. */
type Segment = string | Variable | readonly (string | Variable)[];

interface Variable {
  /** The parts of its name. */
  path: readonly string[];
}

type Template = readonly Segment[];

/** A template that cannot be used; the message continues after the name of its field. */
export class BadTemplate extends Error {}

const VARIABLE_NAME = '[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*';
const IN_STRING = new RegExp(`\\{\\{\\s*(${VARIABLE_NAME})\\s*\\}\\}`);
/** A string, a variable, or double braces around something else. */
const TOKEN = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|\\{\\{(?:\\s*(${VARIABLE_NAME})\\s*\\}\\})?`, 'gs');
const IS_KEY = /\s*:/y;

/** Throws where it is no JSON once its variables have values, or names variables that do not exist. */
export function parseTemplate(text: string, interpolatesStrings: boolean): Template {
  const segments: Segment[] = [];
  const sample: string[] = [];
  let end = 0;
  const add = (segment: Segment, { 0: token, index }: RegExpExecArray): void => {
    const before = text.slice(end, index);
    if (before !== '') segments.push(before);
    segments.push(segment);
    // Any value will do to see whether the rest is JSON.
    sample.push(before, 'null');
    end = index + token.length;
  };
  for (const found of text.matchAll(TOKEN)) {
    const [token, name] = found;
    if (token.startsWith('{{')) {
      if (name === undefined) throw new BadTemplate('has double braces around something that is no name');
      add(variableOf(name), found);
    } else if (interpolatesStrings && token.includes('{{') && !isKey(text, found.index + token.length)) {
      const parts = partsOf(decode(token));
      const [only] = parts;
      if (parts.length === 1 && typeof only === 'object') add(only, found);
      else if (parts.length > 0) add(parts, found);
    }
  }
  const rest = text.slice(end);
  if (rest !== '') segments.push(rest);
  decode([...sample, rest].join(''));
  return segments;
}

/** The keys of objects stay as they are. */
function isKey(text: string, end: number): boolean {
  IS_KEY.lastIndex = end;
  return IS_KEY.test(text);
}

function decode(json: string): string {
  try {
    return JSON.parse(json) as string;
  } catch (error) {
    throw new BadTemplate(`is no JSON with variables in double braces: ${(error as Error).message}`);
  }
}

/** Empty where the text has no variables. */
function partsOf(text: string): (string | Variable)[] {
  const parts: (string | Variable)[] = [];
  let hasVariable = false;
  let rest = text;
  for (;;) {
    const found = IN_STRING.exec(rest);
    if (found === null) break;
    hasVariable = true;
    if (found.index > 0) parts.push(rest.slice(0, found.index));
    parts.push(variableOf(found[1]!));
    rest = rest.slice(found.index + found[0].length);
  }
  if (!hasVariable) return [];
  return rest === '' ? parts : [...parts, rest];
}

function variableOf(name: string): Variable {
  const path = name.split('.');
  const [first = '', second] = path;
  if (!VARIABLES.has(first) || (first === 'globals' && !(path.length === 2 && GLOBALS.has(second!)))) {
    throw new BadTemplate(
      `names the variable "${name.slice(0, 100)}", which does not exist; there are userId, createdAt, eventType, eventData, resource, globals.dateISO and globals.dateUnix`,
    );
  }
  return { path };
}

export class PayloadTooLarge extends Error {}

/** Renders templates with the same values: each value is written as JSON once. Throws where the result would be too long. */
export class Renderer {
  readonly #values: TemplateValues;
  readonly #written = new Map<string, string>();

  constructor(values: TemplateValues) {
    this.#values = values;
  }

  render(template: Template, maxLength: number): string {
    let text = '';
    for (const segment of template) {
      text += this.#renderSegment(segment, maxLength);
      if (text.length > maxLength)
        throw new PayloadTooLarge(`It would have more than ${maxLength.toLocaleString('en')} characters.`);
    }
    return text;
  }

  #renderSegment(segment: Segment, maxLength: number): string {
    if (typeof segment === 'string') return segment;
    if ('path' in segment) return this.#write(segment);
    let text = '';
    for (const part of segment) {
      text += typeof part === 'string' ? part : this.#textOf(part);
      if (text.length > maxLength) return text;
    }
    return JSON.stringify(text);
  }

  #write({ path }: Variable): string {
    const name = path.join('.');
    const known = this.#written.get(name);
    if (known !== undefined) return known;
    const written = JSON.stringify(this.#valueOf(path)) ?? 'null';
    this.#written.set(name, written);
    return written;
  }

  /** Inside a string: texts as they are, everything else as JSON. */
  #textOf(variable: Variable): string {
    const value = this.#valueOf(variable.path);
    return typeof value === 'string' ? value : this.#write(variable);
  }

  /** Own properties only: nothing of a prototype is a value. */
  #valueOf(path: readonly string[]): unknown {
    let value: unknown = this.#values;
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
      value = (value as Record<string, unknown>)[name];
    }
    return value ?? null;
  }
}

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

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
// oxlint-disable-next-line no-control-regex -- these are what must not be in a header
const CONTROL = /[\u0000-\u0008\u000A-\u001F\u007F]/;
const MAX_HEADERS_LENGTH = 16_384;
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
    if (!HEADER_NAME.test(name)) throw new BadTemplate(`has ${shown}, which cannot be the name of a header`);
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
  const rendered = JSON.parse(renderer.render(template, MAX_HEADERS_LENGTH)) as Record<string, unknown>;
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
