// A dataset's schema: whether it is one, and whether items keep to it. Schemas come from users, so nothing in them is trusted.
import { createContext, Script } from 'node:vm';
import type { Item } from '../../kernel/export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { isObject } from '../../kernel/patch/json-value.ts';
import { checker, Nullable, Type } from '../../kernel/schema.ts';
import { InvalidItems, loadChecker } from './invalid-items.ts';
import { checkInThread, type Checked } from './item-schema-client.ts';

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

const checkShape = checker(DatasetSchema, 'schema');

/** An honest schema takes a hundredth of it. */
const MOST_TRIAL_MS = 40;

/** Throws unless the schema can be used; asked once, when a dataset is made. */
export function checkSchema(schema: Record<string, unknown>): void {
  try {
    checkShape(schema);
    const { fields } = schema;
    if (!isObject(fields)) return;
    checkKeywords(fields, '#');
    // A schema that refers to itself without end is found by trying it.
    loadChecker();
    const before = process.threadCpuUsage();
    while (!runWithin(MOST_TRIAL_MS, () => new InvalidItems(fields).check({}, 0))) {
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1000 > MOST_TRIAL_MS / 2)
        throw new Error('it takes too long to check an item without any field');
    }
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

/** How long a few items, one at least, may be checked before others have their turn, and before a thread takes over. */
const MOST_SLICE_MS = 30;
/** How often it may be stopped because the processor was busy with other things. */
const MOST_STOPS = 3;

/** Schemas that took too long here: what is to keep to them is checked by a thread from then on. */
const slow = new WeakSet<object>();

/** Throws with the items that break the schema named. Gives way to other calls now and then. */
export async function checkItems(
  items: readonly Item[],
  schema: Record<string, unknown> | null,
): Promise<void> {
  const fields = schema?.['fields'];
  if (!isObject(fields) || Object.keys(fields).length === 0) return;
  const invalid = await findInvalid(items, fields);
  if (invalid.count === 0) return;
  throw new Failure(
    'invalid',
    `Schema validation failed for ${invalid.count} of ${items.length} items; nothing was stored`,
    { code: 'schema-validation-error', data: { invalidItems: invalid.first } },
  );
}

async function findInvalid(items: readonly Item[], fields: Item): Promise<Checked> {
  loadChecker();
  const slice = new TimeSlice();
  const invalid = new InvalidItems(fields);
  let position = 0;
  let stops = 0;
  while (position < items.length && stops < MOST_STOPS && !slow.has(fields)) {
    const isInTime = runWithin(MOST_SLICE_MS, () => {
      do {
        invalid.check(items[position]!, position);
        position += 1;
      } while (position < items.length && !slice.isOver);
    });
    if (isInTime === false) slow.add(fields);
    else if (isInTime === undefined) stops += 1;
    await slice.next();
  }
  return position < items.length ? await checkInThread(items, fields) : invalid;
}

const script = new Script('run()');
/** Made once, as a context costs a millisecond. Nothing but our own function ever runs in it. */
const stage = createContext({ run: (): unknown => undefined }) as { run: () => unknown };

/**
 * False when it took too long; undefined when it was stopped because others had the processor, and may go on. V8 can stop
 * code, regular expressions included, only when it was started from a script.
 */
function runWithin(ms: number, run: () => void): boolean | undefined {
  stage.run = run;
  const before = process.threadCpuUsage();
  try {
    script.runInContext(stage, { timeout: ms });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000 > ms / 2 ? false : undefined;
  }
}
