// The Actors that come with the program, as the folder `actors-library` has them. A node stores their sources and installs their packages
// when it first needs them, so that starts of servers cost little.
import { readdir, readFile, stat, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { LIBRARY_ID } from '../../kernel/identity/store-accounts.ts';
import { createReadStream, spawn } from '../../kernel/network/streams.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ActorFields } from '../actors/store.ts';
import { DEFAULT_RUN_OPTIONS } from '../actors/model.ts';
import { readDefinition, readStart } from '../builds/definition/actor-definition.ts';
import { planDependencies } from '../builds/definition/dependency-plan.ts';
import type { Build } from '../builds/model.ts';
import { readerOf } from '../builds/definition/source-reader.ts';
import { hashFolder, type PackOptions, packFolder } from '../sources/pack.ts';
import {
  BUILD_FOLDERS,
  makeTemporaryFolder,
  makeWorkFolder,
  sealFolder,
} from '../builds/execution/work-folders.ts';
import { removeTree } from '../runner/remove-tree.ts';
import type { InstallRequest } from '../builds/execution/install.ts';

export interface LibraryActor {
  folder: string;
  fields: ActorFields;
  version: string;
  /** The source files, as versions store them. */
  source: string;
  /** What a build of these sources has. */
  build: Pick<Build, 'dependencies' | 'runtime' | 'definition' | 'inputSchema' | 'readme' | 'changelog'> & {
    sources: string;
  };
}

/** In the package it is beside the bundle, in a clone at the top. */
const FOLDERS = ['./actors-library/', '../../../actors-library/'];
/** What is in the folder of an Actor and not part of it. */
const NOT_SOURCES: PackOptions = { without: ['test', 'node_modules'] };
/** A crawl may take long. */
const TIMEOUT_SECS = 24 * 60 * 60;

let library: Promise<readonly LibraryActor[]> | undefined;

/** Read once per process: the files belong to the release. */
export function readLibrary(): Promise<readonly LibraryActor[]> {
  return (library ??= readActors());
}

async function readActors(): Promise<LibraryActor[]> {
  const parent = await findFolder();
  const names = await readdir(parent);
  return await Promise.all(names.sort().map((name) => readActor(join(parent, name))));
}

async function findFolder(): Promise<string> {
  for (const folder of FOLDERS) {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return path;
  }
  throw new Error('The folder actors-library is missing: the installation is not complete.');
}

async function readActor(folder: string): Promise<LibraryActor> {
  const reader = readerOf(folder);
  const { definition, inputSchema, readme, changelog, install } = await readDefinition(reader);
  const { name, title, description, version, categories } = definition as Record<string, string> & {
    categories: string[];
  };
  const example = await readFile(join(folder, 'example-input.json'), 'utf8');
  const unbuilt = { id: '', userId: LIBRARY_ID, options: { memoryMbytes: 0, diskMbytes: 0 } };
  const plan = await planDependencies(unbuilt, install, folder, {});
  return {
    folder,
    version: version!,
    fields: {
      name: name!,
      title: title!,
      description: description!,
      isPublic: true,
      permissionLevel: 'LIMITED_PERMISSIONS',
      runOptions: { ...DEFAULT_RUN_OPTIONS, timeoutSecs: TIMEOUT_SECS },
      details: {
        isSourceCodeHidden: false,
        categories,
        exampleRunInput: { body: example.trim(), contentType: 'application/json; charset=utf-8' },
      },
    },
    source: JSON.stringify({ sourceFiles: await readFiles(folder) }),
    build: {
      sources: await hashFolder(folder, NOT_SOURCES),
      dependencies: plan?.key ?? null,
      runtime: { start: await readStart(reader), install },
      definition,
      inputSchema: inputSchema && JSON.stringify(JSON.parse(inputSchema)),
      readme,
      changelog,
    },
  };
}

async function readFiles(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !NOT_SOURCES.without!.includes(name.split('/')[0]!));
  return await Promise.all(
    names.sort().map(async (name) => {
      const content = await readFile(join(folder, name), 'utf8');
      return { name, format: 'TEXT', content };
    }),
  );
}

/** False where they are not the sources of an Actor of this release. */
export async function storeLibrarySources(
  { blobs, settings }: Kernel,
  hash: string,
  blob: string,
): Promise<boolean> {
  const own = (await readLibrary()).find(({ build }) => build.sources === hash);
  if (own === undefined) return false;
  // Where what a crash leaves is swept.
  const parent = await makeWorkFolder(settings.execution.work, BUILD_FOLDERS);
  const temporary = await makeTemporaryFolder(parent, 'library');
  try {
    const archive = join(temporary, 'sources.tgz');
    const packed = await packFolder(own.folder, archive, NOT_SOURCES);
    if (packed.hash !== hash) throw new Error(`The files of ${own.fields.name} were changed`);
    await blobs.put(blob, createReadStream(archive));
    return true;
  } finally {
    await removeTree(temporary);
  }
}

const PACKAGE_FILES = ['package.json', 'package-lock.json'];
/** Variables of the server's environment that npm needs; `npm_config_` are its own settings. */
const PASSED =
  /^(HOME|USERPROFILE|APPDATA|LOCALAPPDATA|XDG_\w+|PATH|TMPDIR|TEMP|TMP|LANG|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(HTTPS?|ALL|NO)_PROXY|npm_config_\w+)$/i;
/** npm sets them for the programs that it starts, and they say nothing about this installation. */
const NOT_PASSED =
  /^npm_config_(local_prefix|prefix|global\w*|location|omit|include|production|only|user_agent)$/i;

/**
 * As the server's own user, from npm's cache or the registry that npm is set to. Nothing of the packages runs here: the lockfile, which is part of the release, has the hash of each, and their scripts are
 * not executed. So npm needs no sandbox, and can use the cache and the settings of the user who runs the server.
 */
export async function installLibraryPackages(request: InstallRequest): Promise<string> {
  const { sources, box, toolchain, log, signal } = request;
  const { npm } = toolchain;
  if (npm === undefined)
    throw new Failure('invalid', 'This server has no npm, which the packages of the Actor need.');
  const app = join(box, 'app');
  await mkdir(app, { recursive: true });
  for (const file of PACKAGE_FILES) await copyFile(join(sources, file), join(app, file));
  log.write('ACTOR: Installing the packages of this Actor, once on this machine.');
  const args = ['ci', '--prefix', app, '--omit=dev', '--ignore-scripts', '--prefer-offline'];
  const quick = ['--no-audit', '--no-fund', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const errors: string[] = [];
  const child = spawn(process.execPath, [npm, ...args, ...quick], {
    cwd: app,
    env: npmEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      log.write(line);
      const error = /^npm (?:error|ERR!) (.*)/.exec(line)?.[1];
      if (error !== undefined) errors.push(error);
    });
  }
  const code = await ended;
  signal.throwIfAborted();
  if (code !== 0) throw notInstalled(errors);
  await sealFolder(app);
  return app;
}

function npmEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(own).filter(([name]) => PASSED.test(name) && !NOT_PASSED.test(name));
  return {
    ...Object.fromEntries(passed),
    CI: 'true',
    npm_config_update_notifier: 'false',
    npm_config_color: 'false',
    npm_config_progress: 'false',
    npm_config_loglevel: 'warn',
  };
}

function notInstalled(errors: readonly string[]): Failure {
  const kind = errors.flatMap((line) => /^code (\w+)/.exec(line)?.[1] ?? [])[0];
  const reason = errors.find((line) => !/^(code|errno|syscall|A complete log)/.test(line));
  const words = [kind, reason].filter((word) => word !== undefined).join(': ');
  return new Failure(
    'invalid',
    `its packages are not on this machine yet and could not be fetched (npm says ${words === '' ? 'nothing more' : words}). ` +
      'They are installed once, from the registry that npm is set to or from its cache: ' +
      'connect this machine to that registry, see `npm config get registry`, and run the Actor again.',
  );
}
