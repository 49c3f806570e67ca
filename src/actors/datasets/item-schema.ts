// Validates a dataset's schema. Schemas come from users, so nothing in them is trusted.
import { createContext, Script } from 'node:vm';
import type { Item } from '../export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { checker, Nullable, Type } from '../../kernel/schema/schema.ts';
import { InvalidItems, loadChecker } from './invalid-items.ts';

const Names = Nullable(Type.Array(Type.String()));

/** The parts of a dataset's schema that the server uses; the rest is for user interfaces. */
const DatasetSchema = Type.Object({
  fields: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  views: Type.Optional(
    Nullable(
      Type.Record(
        Type.String(),
        Type.Object({
          title: Type.Optional(Nullable(Type.String())),
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

/** An honest schema takes a hundredth of this. */
const MAX_TRIAL_MS = 40;

/** Throws unless the schema is usable; called once, when a dataset is created. */
export function checkDatasetSchema(schema: Record<string, unknown>): void {
  try {
    checkShape(schema);
    const { fields } = schema;
    if (!isObject(fields)) return;
    checkKeywords(fields, '#');
    // Only a trial run finds a schema that refers to itself without end.
    loadChecker();
    const before = process.threadCpuUsage();
    while (!runWithin(MAX_TRIAL_MS, () => new InvalidItems(fields).check({}, 0))) {
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1000 > MAX_TRIAL_MS / 2)
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

/** Rejects keywords that are harmful or malformed. Visits only subschemas: a value in an `enum` is none. */
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

const script = new Script('run()');
/** Created once, because a context costs a millisecond. Only our own function ever runs in it. */
const sandbox = createContext({ run: (): unknown => undefined }) as { run: () => unknown };

/**
 * Returns false when it took too long, and undefined when it timed out because other processes had the CPU. V8 can interrupt
 * code, regular expressions included, only when a script started it.
 */
export function runWithin(ms: number, run: () => void): boolean | undefined {
  sandbox.run = run;
  const before = process.threadCpuUsage();
  try {
    script.runInContext(sandbox, { timeout: ms });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000 > ms / 2 ? false : undefined;
  }
}
