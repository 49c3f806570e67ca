// Makes a build: fetches the sources, reads their definition, runs their build command, installs packages, stores the result.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createReadStream } from '../../../kernel/network/streams.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { openEnvVars } from '../../actors/env-vars.ts';
import { sourceOf } from '../../actors/version.ts';
import { checkInputSchema } from '../../input/prepare-input.ts';
import type { LogWriter } from '../../logs/log-writer.ts';
import { fetchSources } from '../../sources/fetch-sources.ts';
import { packFolder } from '../../sources/pack.ts';
import { readDefinition, readStart } from '../definition/actor-definition.ts';
import type { BuildCommand } from '../definition/commands.ts';
import { sourceBlobOf } from './build-folders.ts';
import { compileSources } from './build-step.ts';
import {
  dependencyFolderName,
  planDependencies,
  type DependencyPlan,
} from '../definition/dependency-plan.ts';
import { installNodePackages, installPythonPackages, readLockfile } from './install.ts';
import type { Build, BuildRuntime } from '../model.ts';
import { readerOf } from '../definition/source-reader.ts';
import { checkPython } from './toolchain.ts';
import { findSnapshot } from '../store-snapshots.ts';
import {
  DEPENDENCIES,
  makeTemporaryFolder,
  makeWorkFolder,
  moveIntoPlace,
  touchFolder,
} from './work-folders.ts';

export interface BuildContext {
  build: Build;
  log: LogWriter;
  /** A folder of this execution alone. */
  temporary: string;
  signal: AbortSignal;
}

export interface BuildResult {
  status: 'SUCCEEDED' | 'FAILED' | 'ABORTED' | 'TIMED-OUT';
  message: string;
  exitCode?: number | null;
  /** Of one that has succeeded. */
  content?: Pick<
    Build,
    'sources' | 'commit' | 'dependencies' | 'runtime' | 'definition' | 'inputSchema' | 'readme' | 'changelog'
  >;
  sourceBytes?: number;
}

export async function produceBuild(kernel: Kernel, context: BuildContext): Promise<BuildResult> {
  const { build, log, temporary, signal } = context;
  log.write(`ACTOR: Building version ${build.versionNumber} as ${build.buildNumber}.`);
  for (const warning of kernel.services.runner.warnings) log.write(`ACTOR: Warning: ${warning}`);
  const snapshot = await findSnapshot(kernel.db, build.id);
  if (snapshot === undefined || snapshot.source === null) throw new Error('The build has no sources');
  const sources = await makeWorkFolder(temporary, 'sources');
  const commit = await fetchSources(sourceOf({ source: snapshot.source }), {
    kernel,
    userId: build.userId,
    boundary: build.meta.initiator.boundary,
    folder: sources,
    temporary: await makeWorkFolder(temporary, 'fetch'),
    signal,
    log: (line) => log.write(line),
  });
  signal.throwIfAborted();
  const { install, buildCommand, readme, changelog, definition, notes, ...read } = await readDefinition(
    readerOf(sources),
  );
  for (const note of notes) log.write(`ACTOR: ${note}`);
  if (build.options.betaPackages === true)
    log.write('ACTOR: The option betaPackages has no effect: this server has no images with beta packages.');
  let { inputSchema } = read;
  if (inputSchema !== null) {
    log.write('ACTOR: Checking the input schema.');
    inputSchema = (await checkInputSchema(kernel, { text: inputSchema, userId: build.userId })).text;
  }
  const env = openEnvVars(kernel, snapshot);
  const fetched = { sources, install, env };
  const compiled =
    buildCommand === undefined ? sources : await compile(kernel, context, buildCommand, fetched);
  const start = await readStart(readerOf(compiled));
  checkPython({ start, install }, await kernel.services.buildFolders.toolchain());
  const { built, dependencies } = await addPackages(kernel, context, { ...fetched, sources: compiled });
  log.write('ACTOR: Storing the built sources.');
  const archive = join(temporary, 'sources.tgz');
  const { hash, bytes } = await packFolder(built, archive, { without: ['node_modules', 'venv'], signal });
  await kernel.blobs.put(sourceBlobOf(hash), createReadStream(archive));
  signal.throwIfAborted();
  return {
    status: 'SUCCEEDED',
    message: 'Build finished.',
    exitCode: 0,
    content: {
      sources: hash,
      commit: commit ?? null,
      dependencies,
      runtime: { start, install },
      definition,
      inputSchema,
      readme,
      changelog,
    },
    sourceBytes: bytes,
  };
}

interface FetchedSources {
  sources: string;
  install: BuildRuntime['install'];
  /** The variables of the version that apply to builds. */
  env: Record<string, string>;
}

/** With all packages, those for development too, of which runs get none. Returns the folder with the compiled sources. */
async function compile(
  kernel: Kernel,
  context: BuildContext,
  command: BuildCommand,
  fetched: FetchedSources,
): Promise<string> {
  const { build, log, temporary, signal } = context;
  const { sources, install, env } = fetched;
  const target = join(temporary, 'compiled');
  const plan = await planDependencies(build, install, sources, env, 'all');
  const toolchain = await kernel.services.buildFolders.toolchain();
  const box = await makeWorkFolder(temporary, 'compile');
  const step = { build, toolchain, box, env, log, signal };
  const compilation = { ...step, command, target, readable: [] };
  if (plan?.kind === 'npm' && plan.manifest.needsSources) {
    // The command may have to compile packages that are folders of the sources, so no other build can use this installation.
    await installNodePackages(kernel, plan.manifest, { ...step, sources, place: box });
    await compileSources(kernel, compilation);
    return target;
  }
  if (plan === undefined) {
    await compileSources(kernel, { ...compilation, sources });
    return target;
  }
  const place = await installOnce(kernel, context, plan, fetched);
  const python = plan.kind === 'pip' ? (toolchain.python?.readable ?? []) : [];
  const readable = [place, ...python];
  await compileSources(kernel, { ...compilation, sources, dependencies: place, readable });
  if (plan.kind === 'npm' && !plan.manifest.hasLockfile) await copyLockfile(place, target);
  return target;
}

/** Installs what runs need. Returns the folder with the built sources, and the key of the packages. */
async function addPackages(
  kernel: Kernel,
  context: BuildContext,
  fetched: FetchedSources,
): Promise<{ built: string; dependencies: string | null }> {
  const { sources, install, env } = fetched;
  const plan = await planDependencies(context.build, install, sources, env);
  if (plan === undefined) return { built: sources, dependencies: null };
  const place = await installOnce(kernel, context, plan, fetched);
  const built = { built: sources, dependencies: plan.key };
  if (plan.kind !== 'npm') return built;
  // Scripts of the Actor itself may have written files.
  if (plan.manifest.hasScripts) return { ...built, built: place };
  if (!plan.manifest.hasLockfile) await copyLockfile(place, sources);
  return built;
}

/** Returns the folder with the packages of the plan, which this node may have already. */
async function installOnce(
  kernel: Kernel,
  { build, log, temporary, signal }: BuildContext,
  plan: DependencyPlan,
  { sources, env }: FetchedSources,
): Promise<string> {
  const { services, settings, clock } = kernel;
  const parent = await makeWorkFolder(settings.execution.work, DEPENDENCIES);
  const place = join(parent, dependencyFolderName(plan.key));
  let isNew = false;
  await services.buildFolders.once(place, clock.now(), async () => {
    isNew = true;
    const toolchain = await services.buildFolders.toolchain();
    const box = await makeTemporaryFolder(temporary, 'install');
    const request = { build, toolchain, sources, box, place, env, log, signal };
    const app =
      plan.kind === 'npm'
        ? await installNodePackages(kernel, plan.manifest, request)
        : await installPythonPackages(kernel, request);
    await moveIntoPlace(app, place);
    await touchFolder(place, clock.now());
  });
  if (!isNew) log.write('ACTOR: Using the dependencies that are installed already.');
  return place;
}

/** So that all nodes install the same versions. */
async function copyLockfile(from: string, to: string): Promise<void> {
  const lockfile = await readLockfile(from);
  if (lockfile !== undefined) await writeFile(join(to, 'package-lock.json'), lockfile);
}
