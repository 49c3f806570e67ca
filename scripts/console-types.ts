// Writes console/api/types/<api>.ts from docs/openapi: the schemas that the console imports from there, and what they refer to.
// --check only checks that they are current. A page that needs one more imports it, and `npm run console:types` writes it.
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'oxfmt';
import type { JsonSchema } from '../src/kernel/schema/schema.ts';
import { typeOf, type TypeWriting } from './schema-type.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The names that the texts import from the types of the API. */
export function findImportedTypes(texts: Iterable<string>, api: string): string[] {
  const statement = new RegExp(
    String.raw`import type \{([^}]*)\} from '[./]*(?:api/)?types/${api}\.ts'`,
    'g',
  );
  const names = [...texts].flatMap((text) =>
    [...text.matchAll(statement)].flatMap(([, list]) =>
      list!
        .split(',')
        .map((one) => one.trim().split(' as ')[0]!)
        .filter((name) => name !== ''),
    ),
  );
  return [...new Set(names)].toSorted();
}

/** Those that are imported are exported, in the order of the alphabet; an unknown name is an error. */
export function writeTypes(document: string, schemas: Schemas, imported: readonly string[]): string {
  const found = new Set<string>();
  const writing: TypeWriting = {
    hasComments: true,
    nameOf: (name) => {
      found.add(name);
      return typeName(name);
    },
  };
  const bySchema = new Map(Object.keys(schemas).map((name) => [typeName(name), name]));
  for (const name of imported) {
    const schema = bySchema.get(name);
    if (schema === undefined)
      throw new Error(`${document} has no schema ${name}, which the console imports.`);
    found.add(schema);
  }
  const texts = new Map<string, string>();
  // It grows while it is walked through.
  for (const schema of found) {
    const name = typeName(schema);
    const text = typeOf(schemas[schema]!, writing);
    const words = imported.includes(name) ? 'export ' : '';
    const isObject = text.startsWith('{');
    texts.set(name, isObject ? `${words}interface ${name} ${text}` : `${words}type ${name} = ${text};`);
  }
  const sorted = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return [`// Written by \`npm run console:types\` from docs/openapi/${document}.`, ...sorted, ''].join(
    '\n\n',
  );
}

/** `full-repository` and `Clause.of` are no names of types. */
function typeName(schema: string): string {
  return schema.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter: string) =>
    letter.toUpperCase(),
  );
}

/** The documents that the console has types of. */
const DOCUMENTS = { flags: 'flags.20240415.json', signalbox: 'signalbox.v1.json' } as const;

async function run(isCheck: boolean): Promise<void> {
  const root = dirname(import.meta.dirname);
  const folder = join(root, 'console/api/types');
  const paths = globSync('console/!(node_modules|dist)/**/*.{ts,tsx}', { cwd: root });
  const sources = paths.map((path) => readFileSync(join(root, path), 'utf8'));
  const options = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8')) as Record<string, unknown>;
  mkdirSync(folder, { recursive: true });
  const present = new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
  const texts = new Map<string, string>();
  for (const [api, document] of Object.entries(DOCUMENTS)) {
    const imported = findImportedTypes(sources, api);
    if (imported.length === 0) continue;
    const { components } = JSON.parse(readFileSync(join(root, 'docs/openapi', document), 'utf8')) as {
      components: { schemas: Schemas };
    };
    const { code, errors } = await format(
      `${api}.ts`,
      writeTypes(document, components.schemas, imported),
      options,
    );
    if (errors.length > 0)
      throw new Error(`The types of ${document} cannot be formatted: ${errors[0]!.message}`);
    texts.set(`${api}.ts`, code);
  }
  const stale = [...new Set([...texts.keys(), ...present.keys()])].filter(
    (name) => texts.get(name) !== present.get(name),
  );
  if (isCheck && stale.length > 0) {
    console.error(
      `console/api/types is not fresh: ${stale.join(', ')}. Run npm run console:types and commit the result.`,
    );
    process.exitCode = 1;
    return;
  }
  for (const name of stale) {
    const text = texts.get(name);
    if (text === undefined) rmSync(join(folder, name));
    else writeFileSync(join(folder, name), text);
  }
  console.log(`${texts.size} files in console/api/types, ${stale.length} changed`);
}

if (import.meta.main) await run(process.argv.includes('--check'));
