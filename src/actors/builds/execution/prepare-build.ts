// Makes a build ready to run on this node: its sources and dependencies as folders, the command that starts it, and the working folder of a run.
import { delimiter, join } from 'node:path';
import { symlink } from 'node:fs/promises';
import { LIBRARY_ID } from '../../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { openEnvVars } from '../../actors/env-vars.ts';
import { installLibraryPackages } from '../../library/library-actors.ts';
import type { LogWriter } from '../../logs/log-writer.ts';
import { removeTree } from '../../runner/remove-tree.ts';
import { ensureSources } from './build-folders.ts';
import { dependencyFolderName, readManifest } from '../definition/dependency-plan.ts';
import { installNodePackages, installPythonPackages, type InstallRequest } from './install.ts';
import type { Build, BuildRuntime } from '../model.ts';
import { readerOf } from '../definition/source-reader.ts';
import { findSnapshot } from '../store-snapshots.ts';
import { checkPython, type Toolchain } from './toolchain.ts';
import {
  BUILD_FOLDERS,
  DEPENDENCIES,
  makeTemporaryFolder,
  makeWorkFolder,
  moveIntoPlace,
  touchFolder,
  copyFolder,
  isFolder,
} from './work-folders.ts';

interface PreparedBuild {
  /** The folder with the built sources; it never changes. */
  sources: string;
  /** The folder that contains `node_modules` or a Python environment; absent where there are no dependencies. */
  dependencies?: string;
  command: readonly [string, ...string[]];
  /** What the program needs to find its interpreter and dependencies, such as PATH. */
  env: Readonly<Record<string, string>>;
  /** Files and folders, beside the working folder, that the program must be able to read. */
  readable: readonly string[];
}

/** Throws where the build cannot run on this node: no Python, or an installation that fails here. */
export async function prepareBuild(
  kernel: Kernel,
  build: Build,
  log: LogWriter,
  signal: AbortSignal = new AbortController().signal,
): Promise<PreparedBuild> {
  const { sources: hash, dependencies: key, runtime } = build;
  if (hash === null || runtime === null) throw new Error(`The build ${build.id} has not succeeded`);
  const toolchain = await kernel.services.buildFolders.toolchain();
  checkPython(runtime, toolchain);
  const sources = await ensureSources(kernel, hash);
  const dependencies =
    key === null
      ? undefined
      : await ensureDependencies(kernel, { build, runtime, key, sources, toolchain, log, signal });
  return {
    sources,
    ...(dependencies !== undefined && { dependencies }),
    ...commandOf(runtime, toolchain, dependencies),
    readable: [
      ...toolchain.readable,
      ...pythonFilesOf(runtime, toolchain),
      ...(dependencies === undefined ? [] : [dependencies]),
    ],
  };
}

interface DependencyRequest {
  build: Build;
  runtime: BuildRuntime;
  key: string;
  sources: string;
  toolchain: Toolchain;
  log: LogWriter;
  signal: AbortSignal;
}

async function ensureDependencies(kernel: Kernel, request: DependencyRequest): Promise<string> {
  const { build, runtime, key, sources, toolchain, log, signal } = request;
  const { work } = kernel.settings.execution;
  const place = join(await makeWorkFolder(work, DEPENDENCIES), dependencyFolderName(key));
  return await kernel.services.buildFolders.once(place, kernel.clock.now(), async () => {
    const temporary = await makeTemporaryFolder(
      await makeWorkFolder(work, BUILD_FOLDERS),
      `prepare-${build.id}`,
    );
    try {
      const box = await makeWorkFolder(temporary, 'box');
      const snapshot = await findSnapshot(kernel.db, build.id);
      const env = snapshot === undefined ? {} : openEnvVars(kernel, snapshot);
      const installing = { build, toolchain, sources, box, place, env, log, signal };
      const app = await installPackages(kernel, runtime, installing);
      await moveIntoPlace(app, place);
      await touchFolder(place, kernel.clock.now());
    } finally {
      await removeTree(temporary);
    }
  });
}

async function installPackages(
  kernel: Kernel,
  { install }: BuildRuntime,
  request: InstallRequest,
): Promise<string> {
  if (request.build.userId === LIBRARY_ID) return await installLibraryPackages(request);
  if (install === 'pip') return await installPythonPackages(kernel, request);
  return await installNodePackages(kernel, await readManifest(readerOf(request.sources)), request);
}

function commandOf(
  { start, install }: BuildRuntime,
  toolchain: Toolchain,
  dependencies: string | undefined,
): Pick<PreparedBuild, 'command' | 'env'> {
  const { path, python, npm } = toolchain;
  const venv = dependencies === undefined || install !== 'pip' ? undefined : join(dependencies, 'venv');
  const env = {
    PATH: [...binFoldersOf(dependencies), path].join(delimiter),
    LANG: 'C.UTF-8',
    // Output is a file, to which Python would write only when its buffer is full.
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  switch (start.by) {
    case 'node':
      return { command: [process.execPath, ...start.args], env };
    case 'python':
      return {
        command: [
          venv === undefined ? (python?.program ?? 'python3') : join(venv, 'bin', 'python3'),
          ...start.args,
        ],
        env,
      };
    case 'shell':
      return { command: ['/bin/sh', '-c', start.script], env };
    case 'npm': {
      const args = ['--silent', 'run', start.script];
      return { command: npm === undefined ? ['npm', ...args] : [process.execPath, npm, ...args], env };
    }
    default:
      return { command: start.command, env };
  }
}

/** Only where it is needed: other users may not be able to read a Python in somebody's home. */
function pythonFilesOf({ start, install }: BuildRuntime, { python }: Toolchain): readonly string[] {
  return start.by === 'python' || install === 'pip' ? (python?.readable ?? []) : [];
}

/** Programs of packages, which scripts call by their names. */
function binFoldersOf(dependencies: string | undefined): string[] {
  if (dependencies === undefined) return [];
  return [join(dependencies, 'node_modules', '.bin'), join(dependencies, 'venv', 'bin')];
}

/**
 * The folder must be empty or missing. The dependencies are linked, not copied: the sandbox shows them read-only, and Node
 * looks for packages where the link leads.
 */
export async function createWorkingFolder(
  { sources, dependencies }: PreparedBuild,
  folder: string,
): Promise<void> {
  await copyFolder(sources, folder, ['node_modules']);
  if (dependencies === undefined) return;
  for (const name of ['node_modules', 'venv']) {
    if (await isFolder(join(dependencies, name))) await symlink(join(dependencies, name), join(folder, name));
  }
}
