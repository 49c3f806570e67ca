// Fetches Node and the packages by npm for the launcher; no dependencies, and runs on Node 20.
// @ts-check

import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Where everything is, as the launcher says.
let ROOT = '';
let RUNTIME = '';
let ASIDE = '';
let LOCK = '';
let LOG = '';

/** @typedef {{ name: string, version: string, binary: string }} NodePackage */

/**
 * Checks what is missing only after taking the lock: another start may have installed it meanwhile.
 * @param {{
 *   root: string,
 *   runtime: string,
 *   findMissingNode: () => NodePackage | undefined,
 *   findMissingPackages: () => 'all' | 'production' | undefined,
 * }} options
 */
export async function setUp({ root, runtime, findMissingNode, findMissingPackages }) {
  await inTurn({ root, runtime }, async () => {
    const node = findMissingNode();
    if (node) await fetchNode(node);
    const packages = findMissingPackages();
    if (packages) await installPackages(packages, ROOT);
  });
}

/**
 * @param {{ root: string, runtime: string }} places
 * @param {() => Promise<void>} work
 */
export async function inTurn({ root, runtime }, work) {
  [ROOT, RUNTIME, ASIDE] = [root, runtime, join(runtime, `new-${process.pid}`)];
  [LOCK, LOG] = [join(runtime, 'lock'), join(runtime, 'npm.log')];
  await takeTurn(work);
}

/** @param {NodePackage} node */
async function fetchNode({ name, version, binary }) {
  const program = join(ASIDE, 'node_modules', name, binary);
  mkdirSync(ASIDE);
  writeFileSync(join(ASIDE, 'package.json'), JSON.stringify({ dependencies: { [name]: version } }));
  const title = `Setting up: fetching Node ${version} (about 50 MB), once…`;
  await withProgress(
    title,
    () => `${(sizeOf(program) / 1e6).toFixed(0)} MB unpacked`,
    () => runNpm('install', '--ignore-scripts', '--no-package-lock'),
  );
  try {
    execFileSync(program, ['--version']);
  } catch {
    throw new Error('the fetched Node does not run on this system, so Node 24 has to be installed by hand');
  }
  moveIn(join(RUNTIME, 'node_modules'));
}

/**
 * @param {'all' | 'production'} which
 * @param {string} home the folder whose packages they are
 */
export async function installPackages(which, home) {
  mkdirSync(ASIDE);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    if (existsSync(join(home, file))) copyFileSync(join(home, file), join(ASIDE, file));
  }
  const lock = JSON.parse(readFileSync(join(ASIDE, 'package-lock.json'), 'utf8'));
  const wanted = Object.entries(lock.packages).filter(
    ([path, { dev, optional }]) => path !== '' && !optional && (which === 'all' || !dev),
  );
  const manifests = wanted.map(([path]) => join(ASIDE, path, 'package.json'));
  const count = () => `${manifests.filter((path) => existsSync(path)).length} of ${manifests.length}`;
  await withProgress('Setting up: installing packages, once…', count, () =>
    runNpm('ci', which === 'all' ? '--include=dev' : '--omit=dev'),
  );
  copyFileSync(join(ASIDE, 'package-lock.json'), join(ASIDE, 'node_modules', `.lock-${which}`));
  moveIn(join(home, 'node_modules'));
}

/**
 * Shows progress: in a terminal in one line that is updated, elsewhere in a new line from time to time.
 * @template Result
 * @param {string} title
 * @param {() => string} measure
 * @param {() => Promise<Result>} work
 * @param {{ write(text: string): unknown, isTTY?: boolean }} stream
 * @param {number} everyMs
 */
export async function withProgress(
  title,
  measure,
  work,
  stream = process.stderr,
  everyMs = stream.isTTY ? 200 : 10_000,
) {
  stream.write(stream.isTTY ? title : `${title}\n`);
  const say = () => stream.write(stream.isTTY ? `\r${title} ${measure()}\x1b[K` : `${title} ${measure()}\n`);
  const timer = setInterval(say, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (stream.isTTY) stream.write('\n');
  }
}

/** @param {string} file */
function sizeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Everything is installed aside and then renamed into its place: an interrupted set-up leaves nothing half done, and a
 * server that is running keeps its packages meanwhile.
 * @param {string} place
 */
function moveIn(place) {
  if (existsSync(place)) renameSync(place, join(ASIDE, 'old'));
  renameSync(join(ASIDE, 'node_modules'), place);
  remove(ASIDE);
}

/** @param {string[]} args */
async function runNpm(...args) {
  // npm passes its path in this variable, and so do other package managers.
  const cli = process.env.npm_execpath ?? '';
  const [command, before] = /npm-cli\.c?js$/.test(cli) ? [process.execPath, [cli]] : ['npm', []];
  const retries = ['--fetch-retries=3', '--fetch-retry-factor=2', '--fetch-retry-mintimeout=1000'];
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=warn', ...retries];
  const npm = spawn(command, [...before, ...args, ...options], {
    cwd: ASIDE,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
  });
  const stop = () => npm.kill();
  process.on('exit', stop);
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((settle, fail) => npm.on('error', fail).on('close', settle));
  process.off('exit', stop);
  // On a full disk npm may only warn of files that it could not unpack, and exit with 0.
  if (code !== 0 || output.includes('TAR_ENTRY_ERROR')) throw readFailure(output);
}

/**
 * Two starts at once (`npm start` and `npm test` on a fresh clone) take turns; what a killed one left is cleared away.
 * @param {() => Promise<void>} work
 */
async function takeTurn(work) {
  mkdirSync(RUNTIME, { recursive: true });
  for (let tries = 1; !takeLock(); tries++) {
    if (tries === 2) console.error('Setting up: waiting for another start to finish its set-up…');
    await sleep(200);
  }
  const release = () => [ASIDE, LOCK].forEach(remove);
  const quit = (/** @type {NodeJS.Signals} */ signal) => process.exit(128 + constants.signals[signal]);
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const heartbeat = setInterval(() => utimes(LOCK, new Date(), new Date(), () => {}), 2000);
  process.on('exit', release);
  for (const signal of signals) process.on(signal, quit);
  try {
    for (const entry of readdirSync(RUNTIME)) if (entry.startsWith('new-')) remove(join(RUNTIME, entry));
    await work();
  } finally {
    clearInterval(heartbeat);
    for (const signal of signals) process.off(signal, quit);
    process.off('exit', release);
    release();
  }
}

function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (/** @type {any} */ error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isAbandoned()) remove(LOCK);
  return false;
}

/** A lock is stale when its process is gone or, because process ids are reused, when it was not touched lately. */
function isAbandoned() {
  try {
    if (Date.now() - statSync(LOCK).mtimeMs > 15_000) return true;
    process.kill(Number(readFileSync(LOCK, 'utf8')), 0);
    return false;
  } catch (/** @type {any} */ error) {
    return error.code === 'ESRCH';
  }
}

/** @param {string} path */
function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // An npm whose launcher was killed may still write there; the next set-up clears it.
  }
}

/** Writes npm's output to a file, and extracts the facts for one sentence. */
function readFailure(/** @type {string} */ output) {
  try {
    writeFileSync(LOG, output);
  } catch {
    // On a full disk the sentence alone has to do.
  }
  const [, code] = /(ENOSPC|EDQUOT)/.exec(output) ??
    /^npm (?:error|ERR!) code (\S+)/m.exec(output) ?? ['', 'no code'];
  const [, path] = /^npm (?:error|ERR!) path (.+)/m.exec(output) ?? [];
  const [, registry] = /request to (https?:\/\/[^/\s]+)/.exec(output) ?? [];
  return Object.assign(new Error(`npm stopped with ${code} and left its words in ${LOG}`), {
    code,
    path,
    registry,
  });
}

/**
 * @param {{ message: string, code?: string, path?: string, syscall?: string, registry?: string }} error
 * @returns {string} one sentence: what happened and what to do
 */
export function explain({ message, code = '', path = ROOT, syscall, registry }) {
  if (syscall === 'spawn npm') return 'npm was not found: install it (it comes with Node) and start again.';
  if (/ENOSPC|EDQUOT/.test(code)) return `The disk is full: free 1 GB where ${path} is and start again.`;
  if (/EACCES|EPERM|EROFS/.test(code))
    return `${path} cannot be written: let this user write there and start again.`;
  if (/E404|ETARGET/.test(code))
    return `The npm registry lacks a package (see ${LOG}): set npm to a complete one and start again.`;
  if (code === 'EUSAGE')
    return 'package-lock.json does not fit package.json: run `npm install` and start again.';
  if (registry)
    return `The npm registry ${registry} cannot be reached (${code}): check the network and npm's settings and start again.`;
  return `The set-up failed: ${message}; mend that and start again.`;
}
