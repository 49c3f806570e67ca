// Reads what the sources say about the Actor: `.actor/actor.json` with the files that it refers to, and how it is started.
import { posix } from 'node:path';
import { isObject } from '../../../kernel/json/json-value.ts';
import { checkMemoryExpression } from '../../input/memory-expression.ts';
import { TaskError } from '../../input/thread-task.ts';
import { MAX_MEMORY, MIN_MEMORY } from '../../input/memory.ts';
import {
  findBuildCommand,
  type BuildCommand,
  findStart,
  type StartCommand,
  parsePythonImage,
} from './commands.ts';
import { LOCKFILES } from './dependency-plan.ts';
import { badDefinition, type SourceReader } from './source-reader.ts';
import { resolveStorages } from './storage-definition.ts';

interface SourceDefinition {
  /** `actor.json` with the contents of the files that it refers to; null where there is none. */
  definition: Record<string, unknown> | null;
  inputSchema: string | null;
  readme: string | null;
  changelog: string | null;
  /** What the sources need before they can be started. */
  buildCommand: BuildCommand | undefined;
  /** How dependencies are installed. */
  install: 'npm' | 'pip' | null;
  /** Things that the owner should know, for the log. */
  notes: string[];
}

/** Of other package managers. */
const FOREIGN_LOCKFILES = ['yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'];
const DOCKERFILE_NOTE = 'The Dockerfile is ignored: this server runs Actors without containers.';
const PYTHON_NOTE =
  'The Dockerfile is not executed: this server runs Actors without containers. Its image says that the Actor needs Python.';
const MAX_SCHEMA_BYTES = 500 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;

export async function readDefinition(reader: SourceReader): Promise<SourceDefinition> {
  const names = new Set(await reader.list());
  const source = await readActorFile(reader);
  const { definition } = source;
  if (definition !== null) checkMembers(definition, source.path);
  const input = await readInputSchema(source);
  const packageJson = await readPackageFile(reader);
  const readme = await readText(source, 'readme', ['.actor/README.md', 'README.md', 'readme.md']);
  const changelog = await readText(source, 'changelog', ['.actor/CHANGELOG.md', 'CHANGELOG.md']);
  const notes: string[] = [];
  const dockerfile = await readDockerfile(source);
  const isPython = dockerfile !== undefined && parsePythonImage(dockerfile) !== undefined;
  if (dockerfile !== undefined) notes.push(isPython ? PYTHON_NOTE : DOCKERFILE_NOTE);
  const foreign = FOREIGN_LOCKFILES.filter((name) => names.has(name));
  if (packageJson !== undefined && foreign.length > 0 && !LOCKFILES.some((name) => names.has(name)))
    notes.push(
      `${foreign.join(', ')} is ignored: packages are installed by npm install, without a lockfile.`,
    );
  return {
    definition: definition && (await resolveReferences(source, { input, readme, changelog })),
    inputSchema: input === undefined ? null : JSON.stringify(input, null, 2),
    readme,
    changelog,
    buildCommand: findBuildCommand({
      definition,
      packageJson: isPython ? undefined : packageJson,
      path: source.path,
    }),
    install: installOf(names, isPython),
    notes,
  };
}

/** A Python Actor may have a package.json for its tools. */
function installOf(names: ReadonlySet<string>, isPython: boolean): SourceDefinition['install'] {
  const isPip = names.has('requirements.txt');
  if (isPython) return isPip ? 'pip' : null;
  return names.has('package.json') ? 'npm' : isPip ? 'pip' : null;
}

/** That which `actor.json` names, else the usual one. */
async function readDockerfile({ reader, folder, definition }: DefinitionSource): Promise<string | undefined> {
  const named = definition?.['dockerfile'];
  const path = typeof named === 'string' ? posix.normalize(posix.join(folder, named)) : undefined;
  const isInside = path !== undefined && !path.startsWith('..') && !posix.isAbsolute(path);
  const places = isInside ? [path] : ['.actor/Dockerfile', 'Dockerfile'];
  return (await findFirst(reader, places, MAX_TEXT_BYTES))?.text;
}

/** Of built sources: the command may name a file that the Actor's own build writes. */
export async function readStart(reader: SourceReader): Promise<StartCommand> {
  const names = new Set(await reader.list());
  const source = await readActorFile(reader);
  const { definition, path } = source;
  const packageJson = await readPackageFile(reader);
  const dockerfile = await readDockerfile(source);
  const pythonImage = dockerfile === undefined ? undefined : parsePythonImage(dockerfile);
  return await findStart({ reader, names, definition, packageJson, pythonImage, path });
}

async function readActorFile(reader: SourceReader): Promise<DefinitionSource> {
  const file = await findFirst(reader, ['.actor/actor.json', 'actor.json'], MAX_SCHEMA_BYTES);
  const definition = file === undefined ? null : parseObject(file.text, file.path);
  const folder = file === undefined ? '.actor' : posix.dirname(file.path);
  return { reader, folder, path: file?.path ?? 'actor.json', definition };
}

async function readPackageFile(reader: SourceReader): Promise<Record<string, unknown> | undefined> {
  const text = await reader.read('package.json', MAX_TEXT_BYTES);
  return text === undefined ? undefined : parseObject(text, 'package.json');
}

interface DefinitionSource {
  reader: SourceReader;
  /** The folder of `actor.json`, from which its references start. */
  folder: string;
  path: string;
  definition: Record<string, unknown> | null;
}

/** The platform's order: what `actor.json` names, else the usual places. */
async function readInputSchema(source: DefinitionSource): Promise<Record<string, unknown> | undefined> {
  const named = source.definition?.['input'];
  if (named !== undefined && named !== null) return await readSchema(source, named, 'input');
  const places = ['.actor/INPUT_SCHEMA.json', '.actor/input_schema.json', 'INPUT_SCHEMA.json'];
  const found = await findFirst(source.reader, places, MAX_SCHEMA_BYTES);
  return found && parseObject(found.text, found.path);
}

/** A schema inline, or the path of its file. */
async function readSchema(
  { reader, folder, path }: DefinitionSource,
  value: unknown,
  name: string,
): Promise<Record<string, unknown>> {
  if (isObject(value)) return value;
  if (typeof value !== 'string')
    throw badDefinition(`${path}: "${name}" must be the path of a JSON file, or a schema.`);
  const file = resolvePath(folder, value, `${path}: "${name}"`);
  const text = await reader.read(file, MAX_SCHEMA_BYTES);
  if (text === undefined)
    throw badDefinition(`${path}: "${name}" names the file ${file}, which does not exist.`);
  return parseObject(text, file);
}

async function resolveReferences(
  source: DefinitionSource,
  {
    input,
    readme,
    changelog,
  }: { input: Record<string, unknown> | undefined; readme: string | null; changelog: string | null },
): Promise<Record<string, unknown>> {
  const { definition, path } = source;
  const { output, storages } = definition!;
  const resolved: Record<string, unknown> = { ...definition };
  if (input !== undefined) resolved['input'] = input;
  if (output !== undefined && output !== null)
    resolved['output'] = await readSchema(source, output, 'output');
  if (storages !== undefined && storages !== null) {
    if (!isObject(storages)) throw badDefinition(`${path}: "storages" must be an object.`);
    resolved['storages'] = await resolveStorages(storages, path, (value, name) =>
      readSchema(source, value, name),
    );
  }
  if (readme !== null) resolved['readme'] = readme;
  if (changelog !== null) resolved['changelog'] = changelog;
  return resolved;
}

async function readText(
  { reader, folder, path, definition }: DefinitionSource,
  name: 'readme' | 'changelog',
  usual: readonly string[],
): Promise<string | null> {
  const named = definition?.[name];
  if (named !== undefined && named !== null) {
    if (typeof named !== 'string') throw badDefinition(`${path}: "${name}" must be the path of a file.`);
    const file = resolvePath(folder, named, `${path}: "${name}"`);
    const text = await reader.read(file, MAX_TEXT_BYTES);
    if (text === undefined)
      throw badDefinition(`${path}: "${name}" names the file ${file}, which does not exist.`);
    return text;
  }
  return (await findFirst(reader, usual, MAX_TEXT_BYTES))?.text ?? null;
}

function checkMembers(definition: Record<string, unknown>, path: string): void {
  const { actorSpecification, minMemoryMbytes, maxMemoryMbytes, defaultMemoryMbytes, environmentVariables } =
    definition;
  if (actorSpecification !== undefined && actorSpecification !== 1)
    throw badDefinition(`${path}: "actorSpecification" must be 1.`);
  for (const name of ['title', 'description'])
    if (definition[name] != null && typeof definition[name] !== 'string')
      throw badDefinition(`${path}: "${name}" must be text.`);
  for (const [name, value] of Object.entries({ minMemoryMbytes, maxMemoryMbytes })) {
    if (value === undefined || value === null) continue;
    if (!Number.isInteger(value) || Number(value) < MIN_MEMORY || Number(value) > MAX_MEMORY)
      throw badDefinition(`${path}: "${name}" must be a whole number from ${MIN_MEMORY} to ${MAX_MEMORY}.`);
  }
  if (
    typeof minMemoryMbytes === 'number' &&
    typeof maxMemoryMbytes === 'number' &&
    minMemoryMbytes > maxMemoryMbytes
  )
    throw badDefinition(`${path}: "minMemoryMbytes" must not be greater than "maxMemoryMbytes".`);
  if (!['undefined', 'string', 'number'].includes(typeof (defaultMemoryMbytes ?? undefined)))
    throw badDefinition(`${path}: "defaultMemoryMbytes" must be a number or an expression.`);
  if (typeof defaultMemoryMbytes === 'string') checkExpression(defaultMemoryMbytes, path);
  if (environmentVariables !== undefined && environmentVariables !== null && !isObject(environmentVariables))
    throw badDefinition(`${path}: "environmentVariables" must be an object.`);
}

function checkExpression(expression: string, path: string): void {
  try {
    checkMemoryExpression(expression);
  } catch (error) {
    throw error instanceof TaskError ? badDefinition(`${path}: ${error.message}`) : error;
  }
}

async function findFirst(
  reader: SourceReader,
  paths: readonly string[],
  maxBytes: number,
): Promise<{ path: string; text: string } | undefined> {
  for (const path of paths) {
    const text = await reader.read(path, maxBytes);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** A path from the folder of `actor.json`, which may leave that folder but not the sources. */
function resolvePath(folder: string, path: string, what: string): string {
  const resolved = posix.normalize(posix.join(folder, path));
  if (path === '' || posix.isAbsolute(path) || resolved === '..' || resolved.startsWith('../'))
    throw badDefinition(`${what} must be a path inside the sources, not ${JSON.stringify(path)}.`);
  return resolved;
}

function parseObject(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw badDefinition(`${path} is not valid JSON: ${(error as Error).message}`);
  }
  if (isObject(value)) return value;
  throw badDefinition(`${path} must contain a JSON object.`);
}
