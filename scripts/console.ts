// Builds the console where its sources have changed: packages, bundle, compressed files. Starts that come meanwhile wait for it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { explain, inTurn, installPackages } from './set-up.mjs';

const ROOT = dirname(import.meta.dirname);
const CONSOLE = join(ROOT, 'console');
const RUNTIME = join(ROOT, '.runtime');
const BUILT = join(CONSOLE, 'dist');
/** Names the sources that the build was made from. */
const STAMP = join(BUILT, 'sources.txt');

/** Whether the build is that of the present sources. */
function isCurrent(): boolean {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === nameSources();
}

function nameSources(): string {
  const paths = globSync('**/*.*', {
    cwd: CONSOLE,
    exclude: (path) => /^(?:node_modules|dist)$/.test(path),
  }).sort();
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(join(CONSOLE, path)));
  return hash.digest('hex');
}

/** The set-up leaves a copy of the lockfile that it followed. */
function hasPackages(): boolean {
  const kept = join(CONSOLE, 'node_modules/.lock-all');
  return existsSync(kept) && readFileSync(kept).equals(readFileSync(join(CONSOLE, 'package-lock.json')));
}

/** Made aside and then renamed, so that a server that is running never sends half a build. */
async function build(): Promise<void> {
  const sources = nameSources();
  const aside = join(RUNTIME, `new-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  await run('vite', 'build', '--outDir', aside, '--emptyOutDir', '--logLevel', 'warn');
  await Promise.all(globSync(`${aside}/assets/*.{js,css,svg}`).map((path) => compress(path)));
  writeFileSync(join(aside, 'sources.txt'), sources);
  const old = `${aside}-old`;
  if (existsSync(BUILT)) renameSync(BUILT, old);
  mkdirSync(CONSOLE, { recursive: true });
  renameSync(aside, BUILT);
  rmSync(old, { recursive: true, force: true });
}

async function compress(path: string): Promise<void> {
  const bytes = readFileSync(path);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, quality));
  writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

async function run(program: string, ...args: string[]): Promise<void> {
  const file = join(CONSOLE, 'node_modules', program, 'bin', `${program}.js`);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: CONSOLE,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (words += text));
  const code = await new Promise((settle, fail) => child.on('error', fail).on('close', settle));
  // Where in the bundler it happened helps nobody.
  const [cause = ''] = words.split(/\n\s+at /, 1);
  if (code !== 0) throw new Error(cause.trim() || `${program} stopped with ${String(code)}`);
}

/** Builds it where it is not current. */
export async function buildConsole(): Promise<void> {
  if (isCurrent()) return;
  await inTurn({ root: ROOT, runtime: RUNTIME }, async () => {
    // Another start may have built it meanwhile.
    if (isCurrent()) return;
    if (!hasPackages()) await installPackages('all', CONSOLE);
    await build();
  });
}

if (import.meta.main) {
  await buildConsole().catch((error: Error) => {
    console.error(explain(error));
    process.exitCode = 1;
  });
}
