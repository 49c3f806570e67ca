// Installs the dependencies of an Actor, as a program in the sandbox.
import { copyFile, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../../../kernel/failure.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { MAX_ENTRIES } from '../../runner/disk-watch.ts';
import type { Program } from '../../runner/runner.ts';
import { runStep, StepFailed, type StepContext } from './build-step.ts';
import { LOCKFILES, type NodeManifest } from '../definition/dependency-plan.ts';
import { readerOf } from '../definition/source-reader.ts';
import { checkPython } from './toolchain.ts';
import { copyFolder, isFolder, makeWorkFolder, NPM_CACHES, sealFolder } from './work-folders.ts';

export interface InstallRequest extends StepContext {
  /** The fetched or built sources, which stay as they are. */
  sources: string;
  /** The folder to which the result will be moved. */
  place: string;
}

/** Returns the folder with the result, sealed: the packages, the lockfile, and the sources where packages are part of them. */
export async function installNodePackages(
  kernel: Kernel,
  manifest: NodeManifest,
  request: InstallRequest,
): Promise<string> {
  const { packages } = manifest;
  const { sources, box, toolchain, log, build } = request;
  const { npm } = toolchain;
  if (npm === undefined) throw new Failure('invalid', 'This server has no npm, which the dependencies need.');
  const app = join(box, 'app');
  if (manifest.needsSources) await copyFolder(sources, app, ['node_modules']);
  else await copyFiles(sources, app, ['package.json', '.npmrc', ...LOCKFILES]);
  const command = manifest.hasLockfile ? 'ci' : 'install';
  const cache = await borrowCache(kernel, build, box);
  const { network, packageNetwork } = kernel.settings.execution;
  const run = (args: string[], on: Program['network']) =>
    runStep(kernel, request, {
      name: 'The installation',
      command: [process.execPath, npm, '--prefix', app, ...args],
      network: on,
      env: npmEnvironment(cache.folder),
    });
  const options = [packages === 'all' ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund'];
  try {
    log.write(
      `ACTOR: Installing dependencies${packages === 'all' ? ', those for development too,' : ''} by npm ${command}.`,
    );
    if (network !== 'none') {
      await run([command, ...options], network);
    } else {
      // Packages come from the network; their scripts run without it.
      await run([command, ...options, '--ignore-scripts'], packageNetwork);
      await run(['rebuild'], 'none');
    }
  } finally {
    await cache.giveBack();
  }
  await sealResult(app);
  // It may contain the token of a registry.
  if (!manifest.needsSources) await rm(join(app, '.npmrc'), { recursive: true, force: true });
  return app;
}

export async function installPythonPackages(kernel: Kernel, request: InstallRequest): Promise<string> {
  const { sources, box, toolchain, place, log } = request;
  checkPython({ install: 'pip' }, toolchain);
  const python = toolchain.python!;
  const app = join(box, 'app');
  // The requirements may name packages in folders of the sources.
  await copyFolder(sources, app, ['venv', 'node_modules']);
  log.write('ACTOR: Installing dependencies by pip.');
  const venv = join(app, 'venv');
  await runStep(kernel, request, {
    name: 'The installation',
    command: [
      '/bin/sh',
      '-c',
      'cd "$3" && "$1" -m venv --without-pip "$2" && exec "$1" -m pip --python "$2/bin/python3" install --no-input --disable-pip-version-check --no-cache-dir --log "$5" $4 -r requirements.txt',
      'sh',
      python.program,
      venv,
      app,
      // Without a network, nothing of a package may run while it is fetched with one.
      kernel.settings.execution.network === 'none' ? '--only-binary=:all:' : '',
      join(box, PIP_LOG),
    ],
    network: kernel.settings.execution.packageNetwork,
    env: {},
    readable: python.readable,
  }).catch(async (error: unknown) => {
    throw error instanceof StepFailed && (await isIndexMissing(box)) ? indexMissing(error) : error;
  });
  await sealResult(app);
  await moveScripts(venv, join(place, 'venv'));
  return app;
}

const PIP_LOG = 'pip.log';
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** What pip writes when it gets no connection. */
const NO_CONNECTION = /NewConnectionError|ConnectTimeoutError|NameResolutionError|ProxyError|MaxRetryError/;

async function isIndexMissing(box: string): Promise<boolean> {
  const text = await readerOf(box)
    .read(PIP_LOG, MAX_LOG_BYTES)
    .catch(() => undefined);
  return text !== undefined && NO_CONNECTION.test(text);
}

function indexMissing({ exitCode }: StepFailed): StepFailed {
  return new StepFailed(
    'The installation failed: the index of Python packages cannot be reached from this server. Give the server one by PIP_INDEX_URL, or add wheels to the sources and name them in requirements.txt.',
    exitCode,
  );
}

function npmEnvironment(cache: string): Record<string, string> {
  return {
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
    npm_config_color: 'false',
    npm_config_progress: 'false',
    npm_config_loglevel: 'warn',
  };
}

/**
 * Each account has a download cache of its own, as npm itself could be made to fill a shared one with other content. The
 * cache is moved into the box, the only place where the program can write, so a second build of the same account starts without.
 */
async function borrowCache(
  { settings, services }: Kernel,
  { userId, options }: InstallRequest['build'],
  box: string,
) {
  // The next build has it in its box, where it counts as disk space.
  const maxBytes = (options.diskMbytes / 4) * 1024 ** 2;
  const name = createHash('sha256').update(userId).digest('hex').slice(0, 32);
  const own = join(await makeWorkFolder(settings.execution.work, NPM_CACHES), name);
  const folder = join(box, 'npm-cache');
  await rename(own, folder).catch(() => mkdir(folder));
  return {
    folder,
    async giveBack(): Promise<void> {
      if (!(await isFolder(folder))) return;
      const query = { paths: [folder], maxBytes, maxEntries: MAX_ENTRIES };
      const { bytes, entries } = await services.runner.measureDisk(query);
      if (bytes <= maxBytes && entries <= MAX_ENTRIES) await rename(folder, own).catch(() => {});
    },
  };
}

/** A script may have put a link in place of the folder. */
async function sealResult(app: string): Promise<void> {
  for (const name of ['.', 'node_modules', 'venv', 'venv/bin']) {
    const folder = join(app, name);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats !== undefined && !stats.isDirectory())
      throw new Failure('invalid', 'The installation has replaced a folder by something else.');
  }
  await sealFolder(app);
}

async function copyFiles(from: string, to: string, names: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of names) {
    const stats = await lstat(join(from, name)).catch(() => undefined);
    if (stats?.isFile() === true) await copyFile(join(from, name), join(to, name));
  }
}

/** Scripts of a Python environment name their interpreter by its full path, which changes with the move. */
async function moveScripts(venv: string, place: string): Promise<void> {
  const bin = join(venv, 'bin');
  for (const entry of await readdir(bin, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(bin, entry.name);
    const content = await readFile(path, 'latin1');
    if (content.startsWith(`#!${venv}/`))
      await writeFile(path, `#!${place}${content.slice(2 + venv.length)}`, 'latin1');
  }
}

/** The lockfile that npm has written, or that was there before. */
export async function readLockfile(app: string): Promise<string | undefined> {
  return await readerOf(app).read('package-lock.json', 20 * 1024 * 1024);
}
