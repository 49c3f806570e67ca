// Executes a build on this node: fetches the sources, reads their definition, installs dependencies, stores the result.
import { createReadStream } from 'node:fs';
import { rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findVersion } from '../actors/store-versions.ts';
import { sourceOf } from '../actors/version.ts';
import { checkInputSchema } from '../input/check-schema.ts';
import type { Job, JobContext } from '../jobs/job.ts';
import { deleteJob } from '../jobs/store.ts';
import type { LogWriter } from '../logs/log-writer.ts';
import { openLogWriter } from '../logs/open-log-writer.ts';
import { finishLog } from '../logs/pack-log.ts';
import { isFinished } from '../runs/model.ts';
import { fetchSources } from '../sources/fetch-sources.ts';
import { packFolder } from '../sources/pack.ts';
import { readDefinition } from './actor-definition.ts';
import { sourceBlobOf } from './build-folders.ts';
import { beginBuild, endBuild, type BuildResult } from './build-transitions.ts';
import { dependencyFolderName, planDependencies, type DependencyPlan } from './dependency-plan.ts';
import { InstallFailed, installNodePackages, installPythonPackages, readLockfile } from './install.ts';
import { BUILD_TIMEOUT_MS, type Build } from './model.ts';
import { buildVariables } from './prepare-build.ts';
import { readerOf } from './source-reader.ts';
import { findBuild } from './store.ts';
import {
  BUILD_FOLDERS,
  DEPENDENCIES,
  makeTemporaryFolder,
  makeWorkFolder,
  moveIntoPlace,
  touchFolder,
} from './work-folders.ts';

export interface BuildExecution {
  timeoutMs?: number;
}

/** Why a build stops before its end, other than the end of the lease or of the server. */
class BuildStopped extends Error {
  readonly status: 'ABORTED' | 'TIMED-OUT';

  constructor(status: 'ABORTED' | 'TIMED-OUT', message: string) {
    super(message);
    this.status = status;
  }
}

/** After so many claims an error that is not the Actor's own ends the build, which would otherwise be tried for ever. */
const MAX_CLAIMS = 5;

export async function executeBuild(
  kernel: Kernel,
  job: Job,
  context: JobContext,
  { timeoutMs = BUILD_TIMEOUT_MS }: BuildExecution = {},
): Promise<void> {
  const build = await findBuild(kernel.db, job.id);
  if (build === undefined || isFinished(build.status)) {
    await deleteJob(kernel.db, job);
    return;
  }
  if (!(await beginBuild(kernel, job))) return;
  const begun = performance.now();
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new BuildStopped('TIMED-OUT', timeoutMessage(timeoutMs))),
    timeoutMs,
  );
  const leave = () => stop.abort(context.signal.reason);
  context.signal.addEventListener('abort', leave, { once: true });
  if (context.signal.aborted) leave();
  context.onControl((control) => {
    if (control.startsWith('abort')) stop.abort(new BuildStopped('ABORTED', 'The build was aborted.'));
  });
  const { work } = kernel.settings.execution;
  const folder = await makeWorkFolder(work, BUILD_FOLDERS, build.id);
  const temporary = await makeTemporaryFolder(folder, 'work');
  // Beside the folder of the build, which is deleted: a log that could not be stored yet stays.
  const log = await openLogWriter(kernel, { id: build.id, folder: join(work, 'logs') });
  try {
    const result = await buildOrLeave(kernel, job, { build, log, temporary, signal: stop.signal }, context);
    if (result === undefined) return;
    // Followers of the log see the final status when it ends.
    if (await endBuild(kernel, job, result, Math.round(performance.now() - begun)))
      await finishLog(kernel, build.id);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', leave);
    await rm(temporary, { recursive: true, force: true });
    await rmdir(folder).catch(() => {}); // an earlier execution may still clean up in it
  }
}

/** Closes the log. Undefined where another node goes on with the job, or this one after a restart. */
async function buildOrLeave(
  kernel: Kernel,
  job: Job,
  building: BuildContext,
  { signal }: JobContext,
): Promise<BuildResult | undefined> {
  const { log } = building;
  try {
    const result = await buildOrFail(kernel, job, building);
    signal.throwIfAborted();
    log.write(`ACTOR: ${result.message}`);
    return result;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  } finally {
    await log.close();
  }
}

function timeoutMessage(timeoutMs: number): string {
  return `The build was stopped: it took more than ${timeoutMs / 1000} seconds.`;
}

interface BuildContext {
  build: Build;
  log: LogWriter;
  /** A folder of this execution alone. */
  temporary: string;
  signal: AbortSignal;
}

/** An error of the Actor is a result; others are thrown, and the job is tried again. */
async function buildOrFail(kernel: Kernel, job: Job, context: BuildContext): Promise<BuildResult> {
  const { signal, build } = context;
  try {
    return await produce(kernel, context);
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (reason instanceof BuildStopped) return { status: reason.status, message: reason.message };
    if (signal.aborted) throw error;
    if (error instanceof InstallFailed)
      return { status: 'FAILED', message: error.message, exitCode: error.exitCode };
    if (error instanceof Failure && error.kind !== 'unavailable' && error.kind !== 'internal')
      return { status: 'FAILED', message: error.message };
    if (job.claims < MAX_CLAIMS) throw error;
    kernel.log.error({ err: error, build: build.id }, 'a build failed for the last time');
    return { status: 'FAILED', message: 'The build failed because of an error of the server.' };
  }
}

async function produce(kernel: Kernel, context: BuildContext): Promise<BuildResult> {
  const { build, log, temporary, signal } = context;
  log.write(`ACTOR: Building version ${build.versionNumber} as ${build.buildNumber}.`);
  for (const warning of kernel.services.runner.warnings) log.write(`ACTOR: Warning: ${warning}`);
  const version = await findVersion(kernel.db, build.actorId, build.versionNumber);
  if (version === undefined) throw new Failure('invalid', `The version ${build.versionNumber} was deleted.`);
  const sources = await makeWorkFolder(temporary, 'sources');
  await fetchSources(sourceOf(version), {
    kernel,
    userId: build.userId,
    folder: sources,
    temporary: await makeWorkFolder(temporary, 'fetch'),
    signal,
    log: (line) => log.write(line),
  });
  signal.throwIfAborted();
  const { start, install, readme, changelog, definition, notes, ...read } = await readDefinition(
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
  const env = await buildVariables(kernel, build);
  const plan = await planDependencies(build, install, sources, env);
  const built = plan === undefined ? sources : await installPlanned(kernel, context, { plan, sources, env });
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
      dependencies: plan?.key ?? null,
      runtime: { start, install },
      definition,
      inputSchema,
      readme,
      changelog,
    },
    sourceBytes: bytes,
  };
}

interface PlannedInstall {
  plan: DependencyPlan;
  sources: string;
  env: Record<string, string>;
}

/** Returns the folder with the built sources. */
async function installPlanned(
  kernel: Kernel,
  { build, log, temporary, signal }: BuildContext,
  { plan, sources, env }: PlannedInstall,
): Promise<string> {
  const { services, settings, clock } = kernel;
  const parent = await makeWorkFolder(settings.execution.work, DEPENDENCIES);
  const place = join(parent, dependencyFolderName(plan.key));
  let isNew = false;
  await services.buildFolders.once(place, clock.now(), async () => {
    isNew = true;
    const toolchain = await services.buildFolders.toolchain();
    const box = await makeWorkFolder(temporary, 'box');
    const request = { build, toolchain, sources, box, place, env, log, signal };
    const app =
      plan.kind === 'npm'
        ? await installNodePackages(kernel, plan.manifest, request)
        : await installPythonPackages(kernel, request);
    await moveIntoPlace(app, place);
    await touchFolder(place, clock.now());
  });
  if (!isNew) log.write('ACTOR: Using the dependencies that are installed already.');
  if (plan.kind !== 'npm') return sources;
  // Scripts of the Actor itself may have written files.
  if (plan.manifest.hasScripts) return place;
  if (!plan.manifest.hasLockfile) {
    const lockfile = await readLockfile(place);
    if (lockfile !== undefined) await writeFile(join(sources, 'package-lock.json'), lockfile);
  }
  return sources;
}
