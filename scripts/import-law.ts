// The import law of src/: which file may import which, and where SQL is. It checks the whole import graph, because I/O may be reached indirectly.
import { posix } from 'node:path';
import { ROOMS } from './rooms.ts';

export type Violation = { path: string; line: number; rule: string };

type Import = { line: number; target: string; isType: boolean; names: string[] };

/** A file may import its own unit and those below it; units of one row never import each other. */
const LAYERS = [['bin'], ['cli'], ['app'], ['signalbox'], ['flags', 'actors', 'host'], ['kernel']];

/** The command line may use these programs, which are no part of the server. */
const TOOLS = /^tools\//;

/** Inside a resource, a file may import only roles further right. */
const ROLES = ['routes', 'store', 'tables'];

const DRIVERS = /^(pg|pg-.+|node:sqlite)$/;
const IO =
  /^node:(fs|net|http|http2|https|tls|dgram|dns|child_process|worker_threads|cluster|sqlite)(\/|$)|^(pg|kysely|fastify|undici|pino)$/;

/** Files that may contain SQL, by name or folder. */
const SQL_FILES = /^src\/kernel\/storage\/|\/migrations\/|\/(store(-[a-z-]+)?|[a-z-]+-store|tables)\.ts$/;
/** A query can be built without an import. */
const QUERY = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/g;

/** Folders with hand-tuned statements for each engine. */
const ENGINE_FILES = /^src\/(kernel\/storage|actors\/(request-queues|datasets))\//;
const ENGINE_CHECK = /[!=]== '(sqlite|postgres)'/g;

/** What opens a stream, a socket, a process or a thread, by module. `src/kernel/network/streams.ts` has the same with a listener. */
const OPENERS: Record<string, RegExp> = {
  'node:child_process': /^(spawn|fork|exec)$/,
  'node:fs': /^(createReadStream|createWriteStream)$/,
  'node:https': /^(request|get|createServer)$/,
  'node:net': /^(connect|createConnection|createServer|Server|Socket|Stream)$/,
  'node:stream': /^(Readable|Writable|Duplex|PassThrough)$/,
  'node:worker_threads': /^Worker$/,
  'node:zlib': /^create[A-Z]/,
  'node:dgram': /./,
  'node:http2': /./,
  'node:tls': /./,
  'src/kernel/network/http-client.ts': /^request$/,
};
const OPENING_FILES = [
  'src/kernel/network/streams.ts',
  'src/kernel/network/http-client.ts',
  'src/kernel/network/open-request.ts',
  // A process of its own inside a sandbox, without the rest of the server: its end is that of one run.
  'src/actors/runner/isolation/bridge.ts',
];
const OPENING = /\bReadable\.from\(|\bgetBuiltinModule\(/g;
/** Events that bring what another program has sent. A handler that throws would end the process. */
const UNGUARDED =
  /\.(?:on|once|addListener|prependListener)\(\s*'(?:connect|connection|data|information|readable|response|upgrade)',(?!\s*guarded\()/g;

/** The one comparison of secrets, which also handles texts of different lengths. */
const SECRETS_FILE = 'src/kernel/secrets/secret.ts';
const SECRET_COMPARISON = /\btimingSafeEqual\b/g;

const IMPORT =
  /^(?:import|export)\s+(type\s)?[^;'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** Takes the source texts by path (`src/…`), and returns every violation. */
export function findViolations(sources: ReadonlyMap<string, string>): Violation[] {
  const graph = new Map([...sources].map(([path, text]) => [path, readImports(path, text)]));
  return [
    ...[...graph].flatMap(([path, imports]) =>
      imports.flatMap((found) =>
        checkImport(path, found, graph).map((rule) => ({ path, line: found.line, rule })),
      ),
    ),
    ...[...sources].flatMap(([path, text]) => (isTestFile(path) ? [] : checkText(path, text))),
    ...[...sources.keys()].flatMap((path) => checkPlace(path).map((rule) => ({ path, line: 1, rule }))),
  ];
}

/** Every file is in a layer, and every folder of the kernel is a room. */
function checkPlace(path: string): string[] {
  if (!path.startsWith('src/')) return [];
  if (!LAYERS.flat().includes(unitOf(path)))
    return [`${unitOf(path)} is in no layer of scripts/import-law.ts`];
  const room = roomOf(path);
  return room === undefined || room in ROOMS ? [] : [`${room}/ is no room of scripts/rooms.ts`];
}

function checkText(path: string, text: string): Violation[] {
  const find = (words: RegExp, rule: string): Violation[] =>
    [...text.matchAll(words)].map(({ index }) => ({ path, line: lineOf(text, index), rule }));
  return [
    ...(SQL_FILES.test(path) ? [] : find(QUERY, 'only stores, tables and migrations may build queries')),
    ...(ENGINE_FILES.test(path)
      ? []
      : find(ENGINE_CHECK, 'only src/kernel/storage may ask which engine it is')),
    ...(OPENING_FILES.includes(path)
      ? []
      : find(
          OPENING,
          'a stream may be left without a listener, src/kernel/network/streams.ts opens it with one',
        )),
    ...(OPENING_FILES.includes(path)
      ? []
      : find(UNGUARDED, 'a handler that throws ends the process, unless it goes through `guarded`')),
    ...(path === SECRETS_FILE
      ? []
      : find(SECRET_COMPARISON, `secrets are compared by isSameSecret of ${SECRETS_FILE}`)),
  ];
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function readImports(path: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map((match) => {
    const name = match[2] ?? match[3] ?? match[4] ?? '';
    return {
      line: lineOf(text, match.index),
      target: name.startsWith('.') ? posix.join(posix.dirname(path), name) : name,
      isType: match[1] !== undefined,
      names: namesOf(match[0]),
    };
  });
}

/** The names of values in a clause such as `import { a, type B, c as d } from`; all of a module are `*`. */
function namesOf(clause: string): string[] {
  const inner = /\{([^}]*)\}/.exec(clause)?.[1];
  if (inner === undefined) return ['*'];
  return inner
    .split(',')
    .map((name) => name.trim().replace(/ as .*/, ''))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function checkImport(
  path: string,
  { target, isType, names }: Import,
  graph: ReadonlyMap<string, Import[]>,
): string[] {
  const rules: string[] = [];
  if (target.startsWith('src/') && !mayImport(unitOf(path), unitOf(target))) {
    rules.push(`${unitOf(path)} must not import ${unitOf(target)}`);
  }
  if (isTestFile(path)) return rules;
  if (isTestFile(target)) rules.push('only tests may import a fixture');
  if (/^(test|scripts|bench)\//.test(target)) rules.push('only tests may import what is outside src/');
  if (TOOLS.test(target) && unitOf(path) !== 'cli') rules.push('only the command line may import a tool');
  rules.push(...checkRooms(path, target, isType || names.length === 0));
  if (DRIVERS.test(target) && !path.startsWith('src/kernel/storage/')) {
    rules.push(`only src/kernel/storage may import ${target}`);
  }
  if (target === 'kysely' && !SQL_FILES.test(path)) {
    rules.push('only stores, tables and migrations may import kysely');
  }
  if (target === 'node:http' && !isType) {
    rules.push('node:http is imported for its types only, src/kernel/network/http-client.ts has the rest');
  }
  if (/^node:readline(\/|$)/.test(target) && /^src\/(host|kernel)\//.test(path)) {
    rules.push('node:readline ends lines at more than line feeds, src/kernel/text/split-lines.ts does not');
  }
  const opener = OPENERS[target];
  if (opener !== undefined && !isType && !OPENING_FILES.includes(path)) {
    for (const name of names)
      if (name === '*' || opener.test(name))
        rules.push(
          target.endsWith('http-client.ts') || target === 'node:https'
            ? `${name} of ${target} may be left without a listener, src/kernel/network/open-request.ts has it with one`
            : `${name} of ${target} may be left without a listener, src/kernel/network/streams.ts has it with one`,
        );
  }
  const [role, targetRole] = [roleOf(path), roleOf(target)];
  if (ROLES.includes(role) && ROLES.includes(targetRole) && ROLES.indexOf(targetRole) < ROLES.indexOf(role)) {
    rules.push(`${role} must not import ${targetRole}`);
  }
  if (role === 'model') {
    // The kernel's types are in its `store-….ts`, from which a model may import them.
    const isImpure = ROLES.includes(posix.basename(target, '.ts')) || IO.test(target);
    const way = isImpure ? [target] : isType ? undefined : findIo(target, graph);
    if (way) rules.push(`a model is pure and must not reach ${way.join(' → ')}`);
  }
  return rules;
}

/** Test files, and the fixtures beside them. */
function isTestFile(path: string): boolean {
  return /(\.test|\/fixture(-[a-z-]+)?)\.ts$/.test(path);
}

function mayImport(from: string, to: string): boolean {
  const rankOf = (unit: string) => LAYERS.findIndex((row) => row.includes(unit));
  return from === to || rankOf(to) > rankOf(from);
}

/** The first folder under src/, or the file itself. */
function unitOf(path: string): string {
  return /^src\/([^/.]+)/.exec(path)?.[1] ?? '';
}

/** Undefined for the files at the top of the kernel, which every room may use. */
function roomOf(path: string): string | undefined {
  return /^src\/kernel\/([^/]+)\//.exec(path)?.[1];
}

function checkRooms(path: string, target: string, isType: boolean): string[] {
  if (!path.startsWith('src/kernel/') || !target.startsWith('src/kernel/') || isType) return [];
  const [from, to] = [roomOf(path), roomOf(target)];
  if (to === undefined || from === to) return [];
  if (from === undefined) return [`what stands at the top of the kernel must not import ${to}/`];
  return ROOMS[from]?.imports.includes(to) ? [] : [`${from}/ must not import values of ${to}/`];
}

/** A file that only fills a part of the store (`store-lists.ts`, `due-store.ts`) counts as the store. */
function roleOf(path: string): string {
  if (!path.startsWith('src/')) return '';
  const name = posix.basename(path, '.ts');
  return /^store-|-store$/.test(name) ? 'store' : name;
}

/** The import path from a file to a module with I/O; type imports do not count. */
function findIo(
  path: string,
  graph: ReadonlyMap<string, Import[]>,
  seen = new Set<string>(),
): string[] | undefined {
  if (IO.test(path)) return [path];
  if (seen.has(path)) return undefined;
  seen.add(path);
  for (const { target, isType } of graph.get(path) ?? []) {
    const way = isType ? undefined : findIo(target, graph, seen);
    if (way) return [path, ...way];
  }
  return undefined;
}
