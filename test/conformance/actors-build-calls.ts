// Calls that create and build Actors, for tests.
import assert from 'node:assert/strict';
import { executeBuild, type BuildExecution } from '../../src/actors/builds/execute-build.ts';
import { startDispatcher, type Dispatcher } from '../../src/actors/jobs/dispatcher.ts';
import type { CallInit, Json, TestServer } from '../server.ts';

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
): Promise<Dispatcher> {
  const { engine, clock, log } = kernel;
  return startDispatcher({
    engine,
    clock,
    log,
    node: 'builder',
    memoryMbytes: 100_000,
    slots: 4,
    handlers: { build: (job, context) => executeBuild(kernel, job, context, options) },
  });
}
