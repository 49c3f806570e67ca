// A dataset's schema: whether it is one, and whether items keep to it. Schemas come from users, so nothing in them is trusted.
import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import type * as Checker from 'typebox/schema';
import type { Item } from '../../kernel/export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/patch/json-value.ts';
import { checker, Nullable, Type } from '../../kernel/schema.ts';

const Names = Nullable(Type.Array(Type.String()));

/** Of a dataset's schema what we make use of; the rest is for those who show it. */
const DatasetSchema = Type.Object({
  fields: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  views: Type.Optional(
    Nullable(
      Type.Record(
        Type.String(),
        Type.Object({
          transformation: Type.Optional(
            Nullable(
              Type.Object({
                fields: Type.Optional(Names),
                omit: Type.Optional(Names),
                flatten: Type.Optional(Names),
                unwind: Type.Optional(Type.Union([Type.String(), Names])),
                limit: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
                desc: Type.Optional(Nullable(Type.Boolean())),
              }),
            ),
          ),
        }),
      ),
    ),
  ),
});

export interface InvalidItem {
  itemPosition: number;
  validationErrors: { instancePath: string; keyword: string; params: object; message: string }[];
}

const checkShape = checker(DatasetSchema, 'schema');

/** Throws unless the schema can be used; asked once, when a dataset is made. */
export function checkSchema(schema: Record<string, unknown>): void {
  try {
    checkShape(schema);
    const { fields } = schema;
    if (!isObject(fields)) return;
    checkKeywords(fields, '#');
    // A schema that refers to itself without end is found by trying it.
    withinTime(() => loadChecker().Check(fields, {}));
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'invalid') throw error;
    const said = error instanceof RangeError ? 'it refers to itself without end' : (error as Error).message;
    throw new Failure('invalid', `The schema is not valid: ${said}`, { code: 'dataset-schema-invalid' });
  }
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const SCHEMAS = new Set(
  (
    'items prefixItems additionalItems additionalProperties unevaluatedItems unevaluatedProperties ' +
    'contains propertyNames not if then else allOf anyOf oneOf'
  ).split(' '),
);

/** The words that could do harm or mean nothing. Goes only where schemas are: a value in an `enum` is none. */
function checkKeywords(schema: Item, path: string): void {
  for (const [word, value] of Object.entries(schema)) {
    const at = `${path}/${word}`;
    if (word === '$ref' || word === '$dynamicRef' || word === '$recursiveRef') {
      if (typeof value !== 'string' || !value.startsWith('#'))
        throw wrong(at, 'must point into the schema itself, like "#/$defs/name"');
    } else if (word === 'type') {
      const types: unknown[] = Array.isArray(value) ? value : [value];
      if (types.length === 0 || !types.every((type) => TYPES.includes(type as string)))
        throw wrong(at, `must be one of ${TYPES.join(', ')}`);
    } else if (word === 'pattern') checkPattern(value, at);
    else if (MAPS.has(word)) {
      if (!isObject(value)) throw wrong(at, 'must be an object');
      for (const [name, inner] of Object.entries(value)) {
        if (word === 'patternProperties') checkPattern(name, at);
        checkInner(inner, `${at}/${name}`);
      }
    } else if (SCHEMAS.has(word)) {
      const inner: unknown[] = Array.isArray(value) ? value : [value];
      for (const each of inner) checkInner(each, at);
    }
  }
}

function checkInner(schema: unknown, path: string): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) throw wrong(path, 'must be a schema');
  checkKeywords(schema, path);
}

function checkPattern(pattern: unknown, path: string): void {
  try {
    if (typeof pattern !== 'string') throw new Error();
    RegExp(pattern, 'u');
  } catch {
    throw wrong(path, 'must be a regular expression');
  }
}

function wrong(path: string, message: string): Failure {
  return new Failure('invalid', `${path} ${message}`);
}

const MOST_ERRORS = 20;
/** How long a few items, one at least, may hold up everybody else. */
const SLICE_MS = 10;
const MOST_SLICE_MS = 250;
/** How long a whole push may take; the largest one with an honest schema takes a fifth of it. */
const MOST_MS = 5000;

/** Schemas that took too long: while they are remembered, nobody need wait for them again. */
const tooSlow = new WeakSet<object>();

/** Throws with every item that breaks the schema named. Gives way to other calls now and then. */
export async function checkItems(
  items: readonly Item[],
  schema: Record<string, unknown> | null,
): Promise<void> {
  const fields = schema?.['fields'];
  if (!isObject(fields) || Object.keys(fields).length === 0) return;
  if (tooSlow.has(fields)) throw tooLong();
  const invalidItems: InvalidItem[] = [];
  const end = performance.now() + MOST_MS;
  let position = 0;
  const checkSlice = () => {
    const pause = performance.now() + SLICE_MS;
    do {
      const validationErrors = errorsOf(items[position]!, fields);
      if (validationErrors.length > 0) invalidItems.push({ itemPosition: position, validationErrors });
      position += 1;
    } while (position < items.length && performance.now() < pause);
  };
  while (position < items.length) {
    if (position > 0) await new Promise(setImmediate);
    try {
      if (performance.now() > end) throw tooLong();
      withinTime(checkSlice);
    } catch (error) {
      tooSlow.add(fields);
      throw error;
    }
  }
  if (invalidItems.length === 0) return;
  throw new Failure(
    'invalid',
    `Schema validation failed for ${invalidItems.length} of ${items.length} items; nothing was stored`,
    { code: 'schema-validation-error', data: { invalidItems } },
  );
}

function errorsOf(item: Item, fields: Item): InvalidItem['validationErrors'] {
  const { Check, Errors } = loadChecker();
  if (Check(fields, item)) return [];
  const [, errors] = Errors(fields, item);
  return errors
    .slice(0, MOST_ERRORS)
    .map(({ instancePath, keyword, params, message }) => ({ instancePath, keyword, params, message }));
}

/** The interpreter, not the compiler: a user's schema must never become code. */
let loaded: typeof Checker | undefined;
function loadChecker(): typeof Checker {
  return (loaded ??= createRequire(import.meta.url)('typebox/schema') as typeof Checker);
}

const script = new Script('run()');
/** Made once, as a context costs a millisecond. Nothing but our own function ever runs in it. */
const stage = createContext({ run: (): unknown => undefined }) as { run: () => unknown };

/** V8 can stop code, regular expressions included, only when it was started from a script. */
function withinTime(run: () => void): void {
  stage.run = run;
  for (;;) {
    const before = process.threadCpuUsage();
    try {
      script.runInContext(stage, { timeout: MOST_SLICE_MS });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.threadCpuUsage(before);
      // On a busy machine the time may have gone to others: then the schema is not to blame, and goes on.
      if ((user + system) / 1000 > MOST_SLICE_MS / 4) throw tooLong();
    }
  }
}

function tooLong(): Failure {
  return new Failure('invalid', 'It takes too long to check the items against the schema: simplify it', {
    code: 'schema-validation-error',
  });
}
