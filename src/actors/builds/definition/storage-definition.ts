// The storages that `actor.json` declares: one of a kind, or several by alias.
import { Failure } from '../../../kernel/failure.ts';
import { isObject } from '../../../kernel/json/json-value.ts';
import { checkDatasetSchema } from '../../datasets/item-schema.ts';
import { checkStoreSchema } from '../../key-value-stores/model.ts';
import { badDefinition } from './source-reader.ts';

type Schema = Record<string, unknown>;

/** Returns the schema that stands there or in the file that is named there; `name` is for messages. */
type ReadSchema = (value: unknown, name: string) => Promise<Schema>;

interface DeclaredKind {
  /** The member for one storage, where there is one. */
  one?: string;
  several: string;
  needsDefault?: true;
  what: string;
  check?(schema: Schema): void;
}

const KINDS: DeclaredKind[] = [
  {
    one: 'dataset',
    several: 'datasets',
    // As on the platform, where aliases are for datasets alone.
    needsDefault: true,
    what: 'dataset',
    check: checkDatasetSchema,
  },
  { one: 'keyValueStore', several: 'keyValueStores', what: 'key-value store', check: checkStoreSchema },
  { several: 'requestQueues', what: 'request queue' },
];

const MAX_ALIASES = 10;
const ALIAS = /^[A-Za-z][A-Za-z0-9_]{0,100}$/;

/** With the contents of the files that it refers to. `path` is that of `actor.json`. */
export async function resolveStorages(storages: Schema, path: string, read: ReadSchema): Promise<Schema> {
  const resolved: Schema = { ...storages };
  for (const kind of KINDS) {
    const { one, several } = kind;
    const readOne = async (value: unknown, name: string) => {
      const schema = await read(value, name);
      checkSchema(kind, schema, `${path}: "${name}"`);
      return schema;
    };
    const single = one === undefined ? undefined : (storages[one] ?? undefined);
    if (single !== undefined) resolved[one!] = await readOne(single, `storages.${one}`);
    const aliased = storages[several] ?? undefined;
    if (aliased === undefined) continue;
    if (single !== undefined)
      throw badDefinition(
        `${path}: "storages.${one}" and "storages.${several}" exclude each other: use one of them.`,
      );
    checkAliases(kind, aliased, `${path}: "storages.${several}"`);
    const schemas: [string, Schema][] = [];
    for (const [alias, value] of Object.entries(aliased))
      schemas.push([alias, await readOne(value, `storages.${several}.${alias}`)]);
    resolved[several] = Object.fromEntries(schemas);
  }
  return resolved;
}

function checkAliases(
  { needsDefault }: DeclaredKind,
  aliased: unknown,
  what: string,
): asserts aliased is Schema {
  if (!isObject(aliased)) throw badDefinition(`${what} must be an object of schemas by alias.`);
  const aliases = Object.keys(aliased);
  if (aliases.length > MAX_ALIASES) throw badDefinition(`${what} can have ${MAX_ALIASES} aliases at most.`);
  if (needsDefault && !aliases.includes('default'))
    throw badDefinition(`${what} must have the alias "default".`);
  const wrong = aliases.find((alias) => !ALIAS.test(alias));
  if (wrong !== undefined) {
    throw badDefinition(
      `${what} has the alias ${JSON.stringify(wrong)}: use up to 101 letters, digits and underscores, the first of them a letter.`,
    );
  }
}

function checkSchema({ what, check }: DeclaredKind, schema: Schema, where: string): void {
  try {
    check?.(schema);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = error.message.replace(/^The schema is not valid: |\.$/g, '');
    throw badDefinition(`${where} is no schema of a ${what}: ${reason}.`);
  }
}
