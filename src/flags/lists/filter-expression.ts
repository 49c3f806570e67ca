// Filters made of comparisons: `tags anyOf ["a","b"],(query equals beta|unbounded equals true)`.
import { Failure } from '../../kernel/failure.ts';
import { shorten } from '../../kernel/json/pointer.ts';

const OPERATORS = [
  'equals',
  'notEquals',
  'anyOf',
  'contains',
  'startsWith',
  'exists',
  'before',
  'after',
] as const;

export type Operator = (typeof OPERATORS)[number];

export interface Comparison {
  kind: 'comparison';
  field: string;
  op: Operator;
  /** A JSON value; the reader of the field checks its type. */
  value: unknown;
}

export type Expression = Comparison | { kind: 'all' | 'any'; of: Expression[] };

/** The operators that each field supports. */
export type Fields = Readonly<Record<string, readonly Operator[]>>;

/** How deeply parentheses may nest. */
const MAX_PARENTHESES = 50;
const MAX_COMPARISONS = 200;

/**
 * Commas mean `and`, vertical bars mean `or`, and the comma binds more tightly. A value is JSON, or plain text up to
 * the next comma, bar or parenthesis. Undefined for an empty filter.
 */
export function readExpression(text: string | undefined, fields: Fields): Expression | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const source = { text, at: 0, comparisons: 0 };
  const expression = readAny(source, fields, 0);
  if (source.at < text.length) throw unexpected(source);
  return expression;
}

/** Folds an expression: `compare` maps each comparison, `join` combines the results. */
export function foldExpression<Result>(
  expression: Expression,
  compare: (comparison: Comparison) => Result,
  join: (kind: 'all' | 'any', results: Result[]) => Result,
): Result {
  if (expression.kind === 'comparison') return compare(expression);
  return join(
    expression.kind,
    expression.of.map((part) => foldExpression(part, compare, join)),
  );
}

/** The value as a list of strings; a single value becomes a list of one. */
export function textsOf({ field, value }: Comparison): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => {
    if (typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
      return String(each);
    throw malformed(`${field} takes a text or a list of texts`);
  });
}

export function truthOf({ field, value }: Comparison): boolean {
  if (typeof value === 'boolean') return value;
  throw malformed(`${field} takes true or false`);
}

/** The text, the position of the parser, and the number of comparisons so far. */
interface Source {
  readonly text: string;
  at: number;
  comparisons: number;
}

function readAny(source: Source, fields: Fields, depth: number): Expression {
  const readPart = () => readOne(source, fields, depth);
  return readJoined(source, 'any', '|', () => readJoined(source, 'all', ',', readPart));
}

function readJoined(
  source: Source,
  kind: 'all' | 'any',
  sign: string,
  readPart: () => Expression,
): Expression {
  const parts = [readPart()];
  while (skip(source, sign)) parts.push(readPart());
  return parts.length === 1 ? parts[0]! : { kind, of: parts };
}

function readOne(source: Source, fields: Fields, depth: number): Expression {
  if (!skip(source, '(')) return readComparison(source, fields);
  if (depth === MAX_PARENTHESES)
    throw malformed(`parentheses stand deeper than ${MAX_PARENTHESES} in each other`);
  const inner = readAny(source, fields, depth + 1);
  if (!skip(source, ')')) throw malformed('a parenthesis is not closed');
  return inner;
}

function readComparison(source: Source, fields: Fields): Comparison {
  source.comparisons += 1;
  if (source.comparisons > MAX_COMPARISONS)
    throw malformed(`there are more than ${MAX_COMPARISONS} comparisons`);
  const field = readWord(source);
  if (field === '') throw unexpected(source);
  const taken = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (taken === undefined)
    throw malformed(`there is no "${shorten(field)}" here. There are: ${Object.keys(fields).join(', ')}`);
  const word = readWord(source);
  const op = taken.find((each) => each === word);
  if (op === undefined)
    throw malformed(`${field} takes ${taken.join(' or ')}, as in "${field} ${taken[0]} …"`);
  return { kind: 'comparison', field, op, value: readValue(source, field, op) };
}

function readValue(source: Source, field: string, op: Operator): unknown {
  skipSpace(source);
  if (/["[{]/.test(source.text[source.at] ?? '')) return readJson(source, field);
  const value = read(source, /[^,|()]*/y).trim();
  if (value === '' && op === 'exists') return true;
  if (value === '') throw malformed(`${field} is compared with nothing`);
  return /^(true|false|null|-?(0|[1-9]\d{0,15})(\.\d+)?)$/.test(value) ? JSON.parse(value) : value;
}

function readJson(source: Source, field: string): unknown {
  const end = endOfJson(source.text, source.at);
  const json = source.text.slice(source.at, end);
  source.at = end;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw malformed(`${field} is compared with what is no JSON: ${shorten(json)}`);
  }
}

function readWord(source: Source): string {
  skipSpace(source);
  return read(source, /[^\s,|()"[\]{}]*/y);
}

function skip(source: Source, sign: string): boolean {
  skipSpace(source);
  if (source.text[source.at] !== sign) return false;
  source.at += 1;
  return true;
}

function skipSpace(source: Source): void {
  read(source, /\s*/y);
}

function read(source: Source, pattern: RegExp): string {
  pattern.lastIndex = source.at;
  const [found = ''] = pattern.exec(source.text) ?? [];
  source.at += found.length;
  return found;
}

function unexpected({ text, at }: Source): Failure {
  const rest = text.slice(at);
  return malformed(rest === '' ? 'it ends too early' : `"${shorten(rest)}" is not understood`);
}

/** The index after the JSON value that begins at `from`. */
function endOfJson(text: string, from: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at]!;
    if (isQuoted && letter === '\\') at += 1;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === '[' || letter === '{') depth += 1;
    else if (letter === ']' || letter === '}') depth -= 1;
    else continue;
    if (depth === 0 && !isQuoted) return at + 1;
  }
  return text.length;
}

function malformed(message: string): Failure {
  return new Failure('malformed', `filter: ${message}.`);
}
