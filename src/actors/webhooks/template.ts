// Templates of webhook payloads: JSON with variables in double braces, as values and, if wanted, inside strings.

/** What the variables stand for, by the first part of their names. */
export type TemplateValues = Readonly<Record<string, unknown>>;

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

export type Template = readonly Segment[];

/** A template that cannot be used; the message continues after the name of its field. */
export class BadTemplate extends Error {}

const NAME = '[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*';
const IN_STRING = new RegExp(`\\{\\{\\s*(${NAME})\\s*\\}\\}`);
/** A string, a variable, or double braces around something else. */
const TOKEN = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|\\{\\{(?:\\s*(${NAME})\\s*\\}\\})?`, 'gs');
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
