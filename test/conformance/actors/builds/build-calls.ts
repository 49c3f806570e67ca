// Calls that create and build Actors, for tests.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { createWorkingFolder, prepareBuild } from '../../../../src/actors/builds/execution/prepare-build.ts';
import { executeBuild, type BuildExecution } from '../../../../src/actors/builds/execution/execute-build.ts';
import { findBuild } from '../../../../src/actors/builds/store.ts';
import { startJobWorker, type JobWorker } from '../../../../src/actors/jobs/job-worker.ts';
import { openLogWriter } from '../../../../src/actors/logs/log-writer.ts';
import { readLog } from '../../../../src/actors/logs/stored-log.ts';
import { eventually, inTime } from '../../../eventually.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';

export type SourceTexts = Record<string, string | object>;

/** A version whose files are these; objects are written as JSON. */
export function versionOf(files: SourceTexts, more: object = {}): object {
  return {
    versionNumber: '0.1',
    sourceType: 'SOURCE_FILES',
    buildTag: 'latest',
    sourceFiles: Object.entries(files).map(([name, content]) => ({
      name,
      format: 'TEXT',
      content: typeof content === 'string' ? content : JSON.stringify(content),
    })),
    ...more,
  };
}

let created = 0;

export async function createActor(
  server: TestServer,
  version: object,
  { token, ...fields }: { token?: string; isPublic?: boolean } = {},
): Promise<Json> {
  const { status, json } = await server.call('/v2/actors', {
    method: 'POST',
    body: { name: `built-${(created += 1)}`, versions: [version], ...fields },
    ...(token !== undefined && { token }),
  });
  assert.equal(status, 201, JSON.stringify(json));
  return json['data'] as Json;
}

export async function build(
  server: TestServer,
  actorId: string,
  query = 'version=0.1&waitForFinish=60',
  init: CallInit = {},
): Promise<Json> {
  const { status, json } = await server.call(`/v2/actors/${actorId}/builds?${query}`, {
    method: 'POST',
    ...init,
  });
  assert.equal(status, 201, JSON.stringify(json));
  const started = json['data'] as Json;
  if (!query.includes('waitForFinish') || started['finishedAt'] !== null) return started;
  return await waitForBuild(server, started['id'] as string);
}

/** Longer than one call may wait, for slow machines. */
export async function waitForBuild(server: TestServer, id: string): Promise<Json> {
  for (let count = 0; count < 3; count += 1) {
    const { json } = await server.call(`/v2/actor-builds/${id}?waitForFinish=60`);
    if (json['data'].finishedAt !== null) return json['data'] as Json;
  }
  return assert.fail(`the build ${id} is not finished`);
}

/** Executes builds beside the server, with settings of the test's own. */
export function startBuilder(
  { app: { kernel } }: TestServer,
  options: BuildExecution = {},
): Promise<JobWorker> {
  const { engine, clock, log } = kernel;
  return startJobWorker({
    engine,
    clock,
    log,
    node: 'builder',
    memoryMbytes: 100_000,
    slots: 4,
    handlers: { build: (job, context) => executeBuild(kernel, job, context, options) },
  });
}

/** A dependency inside the sources: tests use no registry. */
export function greeter(text: string, greeting: object = {}): SourceTexts {
  return {
    'package.json': {
      name: 'a',
      version: '1.0.0',
      type: 'module',
      scripts: { start: 'node main.js' },
      dependencies: { greeting: 'file:greeting' },
    },
    'main.js': 'import greeting from "greeting"; console.log(greeting)',
    'greeting/package.json': {
      name: 'greeting',
      version: '1.0.0',
      type: 'module',
      main: 'index.js',
      ...greeting,
    },
    'greeting/index.js': `export default ${JSON.stringify(text)}`,
  };
}

export async function logOfBuild({ app: { kernel } }: TestServer, id: string): Promise<string> {
  const pieces = await Array.fromAsync(readLog(kernel, id));
  return Buffer.concat(pieces.map(({ content }) => content)).toString();
}

/** Creates an Actor with this version and builds it. */
export async function succeedToBuild(
  server: TestServer,
  version: object,
  query = '',
  token?: string,
): Promise<Json> {
  const actor = await createActor(server, version, token === undefined ? {} : { token });
  return await buildAgain(server, actor['id'] as string, query, token);
}

export async function buildAgain(
  server: TestServer,
  actorId: string,
  query = '',
  token?: string,
): Promise<Json> {
  const init = token === undefined ? {} : { token };
  const started = await build(server, actorId, `version=0.1${query}`, init);
  const { db } = server.app.kernel;
  await eventually(
    async () => (await findBuild(db, started['id']))?.finishedAt != null,
    'the end of the build',
  );
  const { status } = (await findBuild(db, started['id']))!;
  assert.equal(status, 'SUCCEEDED', await logOfBuild(server, started['id']));
  return started;
}

/** Runs it as a run does, in the sandbox, and returns what it prints. */
export async function runBuild({ app: { kernel } }: TestServer, { id }: Json): Promise<string> {
  const { work } = kernel.settings.execution;
  const row = await findBuild(kernel.db, id);
  const log = await openLogWriter(kernel, { id, folder: joinPath(work, 'runs', 'log') });
  const prepared = await prepareBuild(kernel, row!, log);
  const folder = joinPath(work, 'runs', `${id}-${Math.random()}`);
  await createWorkingFolder(prepared, folder);
  const output = `${folder}.out`;
  const program = await kernel.services.runner.start({
    id,
    ...prepared,
    folder,
    output,
    memoryMbytes: 1024,
    diskMbytes: 100,
    network: 'host',
  });
  await inTime(program.exited, 'the end of the program');
  await log.end();
  return await readFile(output, 'utf8');
}
