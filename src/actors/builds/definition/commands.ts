// The commands of an Actor: how its program is started and how it is built, by `actor.json`, `package.json`, a Dockerfile, or its Python modules.
import { isObject } from '../../../kernel/json/json-value.ts';
import { badDefinition, type SourceReader } from './source-reader.ts';

/** Without paths of a machine, as any node may run the build. */
export type StartCommand =
  | { by: 'node'; args: readonly string[] }
  | { by: 'python'; args: readonly string[] }
  /** A script of `package.json`, with those before and after it. */
  | { by: 'npm'; script: string }
  | GivenCommand;

/** A command of `actor.json`. */
type GivenCommand =
  /** A line for the shell. */
  { by: 'shell'; script: string } | { by: 'program'; command: readonly [string, ...string[]] };

interface StartSources {
  reader: SourceReader;
  names: ReadonlySet<string>;
  definition: Record<string, unknown> | null;
  packageJson: Record<string, unknown> | undefined;
  /** Of the Dockerfile, where its image is one of Python. */
  pythonImage: PythonImage | undefined;
  /** Of `actor.json`, for messages. */
  path: string;
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_ARGUMENTS = 200;
/** Node with plain words: nothing that a shell would treat in a special way. */
const PLAIN_NODE = /^node((?:\s+[\w./@:=,+-]+)+)$/;

export async function findStart(sources: StartSources): Promise<StartCommand> {
  const { definition, packageJson, pythonImage } = sources;
  const given = definition?.['startCommand'];
  if (given !== undefined && given !== null) return parseStart(given, sources.path);
  const found =
    (pythonImage && (await findImageStart(pythonImage, sources))) ??
    (packageJson && (await findNodeStart(packageJson, sources))) ??
    (await findPythonStart(sources)) ??
    // A program without packages needs no package.json.
    (await findNodeStart({}, sources));
  if (found !== undefined) return found;
  throw badDefinition(
    'There is no way to start this Actor: add "startCommand" to .actor/actor.json, a script "start" or "main" to ' +
      'package.json, a file main.js, or a Python module with __main__.py or main.py.',
  );
}

/** A list is executed as it is; a text is a line for the shell. */
function parseGivenCommand(given: unknown, path: string, name: string): GivenCommand {
  const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
  if (isText(given) && given.trim() !== '') return { by: 'shell', script: given };
  if (Array.isArray(given) && given.length > 0 && given.length <= MAX_ARGUMENTS && given.every(isText)) {
    const [first = '', ...args] = given;
    if (first !== '') return { by: 'program', command: [first, ...args] };
  }
  throw badDefinition(`${path}: "${name}" must be a text, or a list of the program and its arguments.`);
}

function parseStart(given: unknown, path: string): StartCommand {
  const start = parseGivenCommand(given, path, 'startCommand');
  if (start.by === 'shell') return pythonLine(start.script) ?? start;
  const [first, ...args] = start.command;
  if (first === 'node') return { by: 'node', args };
  return first === 'python' || first === 'python3' ? { by: 'python', args } : start;
}

/** Not by the shell, whose PATH may have no Python: that of this machine may be anywhere. */
function pythonLine(line: string): StartCommand | undefined {
  const args = parsePythonLine(line);
  return args && { by: 'python', args };
}

async function findImageStart(
  { args }: PythonImage,
  sources: StartSources,
): Promise<StartCommand | undefined> {
  return args === undefined ? await findPythonStart(sources) : { by: 'python', args };
}

async function findNodeStart(
  packageJson: Record<string, unknown>,
  { reader }: StartSources,
): Promise<StartCommand | undefined> {
  const scripts = isObject(packageJson['scripts']) ? packageJson['scripts'] : {};
  // The first is that of the platform's templates for what has to be compiled.
  for (const name of ['start:prod', 'start']) {
    const line = scripts[name];
    if (typeof line !== 'string' || line.trim() === '') continue;
    if (scripts[`pre${name}`] !== undefined || scripts[`post${name}`] !== undefined)
      return { by: 'npm', script: name };
    const python = pythonLine(line);
    if (python !== undefined) return python;
    const words = PLAIN_NODE.exec(line.trim())?.[1];
    return words === undefined
      ? { by: 'shell', script: line }
      : { by: 'node', args: words.trim().split(/\s+/) };
  }
  const { main } = packageJson;
  const candidates = [
    ...(typeof main === 'string' ? [main] : []),
    'main.js',
    'src/main.js',
    'index.js',
    'server.js',
  ];
  for (const file of candidates) {
    if (isInside(file) && (await reader.read(file, MAX_FILE_BYTES)) !== undefined)
      return { by: 'node', args: [file] };
  }
  return undefined;
}

async function findPythonStart({ reader, names }: StartSources): Promise<StartCommand | undefined> {
  const hasFile = async (path: string) => (await reader.read(path, MAX_FILE_BYTES)) !== undefined;
  const modules: string[] = [];
  for (const name of [...names].toSorted()) {
    if (/^[A-Za-z_]\w*$/.test(name) && (await hasFile(`${name}/__main__.py`))) modules.push(name);
  }
  const module = modules.includes('src') ? 'src' : modules[0];
  if (module !== undefined && (module === 'src' || modules.length === 1))
    return { by: 'python', args: ['-m', module] };
  if (await hasFile('main.py')) return { by: 'python', args: ['main.py'] };
  if (await hasFile('__main__.py')) return { by: 'python', args: ['.'] };
  if (await hasFile('src/main.py')) return { by: 'python', args: ['src/main.py'] };
  return undefined;
}

/** A name that neither leaves the sources nor looks like an option. */
function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('-') && !path.startsWith('/') && !path.split('/').includes('..');
}

export type BuildCommand = GivenCommand | { by: 'npm'; script: string };

interface BuildCommandSources {
  definition: Record<string, unknown> | null;
  packageJson: Record<string, unknown> | undefined;
  /** Of `actor.json`, for messages. */
  path: string;
}

/** Undefined where nothing is to be built. */
export function findBuildCommand(sources: BuildCommandSources): BuildCommand | undefined {
  const given = sources.definition?.['buildCommand'];
  if (given !== undefined && given !== null) return parseGivenCommand(given, sources.path, 'buildCommand');
  const scripts = sources.packageJson?.['scripts'];
  const build = isObject(scripts) ? scripts['build'] : undefined;
  return typeof build === 'string' && build.trim() !== '' ? { by: 'npm', script: 'build' } : undefined;
}

/** Images of Python itself, and those of the platform for Actors: `apify/actor-python-playwright:3.13`. */
const PYTHON_IMAGE = /^(?:.*\/)?(?:python|actor-python[\w-]*)$/i;
/** Python with plain words: nothing that a shell would treat in a special way. */
const PLAIN_PYTHON = /^python3?((?:\s+[\w./@:=,+-]+)+)$/;

interface PythonImage {
  /** The arguments of Python, where the image is started by it. */
  args: readonly string[] | undefined;
}

/** Of the last stage; undefined where its image is not one of Python. */
export function parsePythonImage(dockerfile: string): PythonImage | undefined {
  const stages = new Map<string, string>();
  let image = '';
  let command: string | undefined;
  for (const [word, rest] of instructionsOf(dockerfile)) {
    if (word === 'FROM') {
      const [base = '', as = '', name = ''] = rest.split(/\s+/).filter((part) => !part.startsWith('--'));
      image = stages.get(base.toLowerCase()) ?? base;
      if (as.toUpperCase() === 'AS') stages.set(name.toLowerCase(), image);
      command = undefined;
    }
    if (word === 'CMD') command = rest;
  }
  // Without the tag and the digest.
  const name = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  return PYTHON_IMAGE.test(name) ? { args: command === undefined ? undefined : argsOf(command) } : undefined;
}

function instructionsOf(dockerfile: string): [word: string, rest: string][] {
  const lines = dockerfile.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  return lines
    .join('\n')
    .replaceAll(/\\[ \t]*\n/g, ' ')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [, word, rest = ''] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
      return word === undefined ? [] : [[word.toUpperCase(), rest.trim()]];
    });
}

/** A list is executed as it is; anything else is a line. */
function argsOf(command: string): readonly string[] | undefined {
  if (!command.startsWith('[')) return parsePythonLine(command);
  let words: unknown;
  try {
    words = JSON.parse(command);
  } catch {
    return undefined;
  }
  if (!Array.isArray(words) || !words.every((word): word is string => typeof word === 'string'))
    return undefined;
  const [first, ...args] = words;
  return first === 'python' || first === 'python3' ? args : undefined;
}

/** The arguments of a line that starts Python and nothing else. */
function parsePythonLine(line: string): readonly string[] | undefined {
  return PLAIN_PYTHON.exec(line.trim())?.[1]?.trim().split(/\s+/);
}
