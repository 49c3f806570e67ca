// Actors for tests: created and built over the API, from a few source files.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { eventually, PATIENCE_MS } from './eventually.ts';
import type { Answer, CallInit, Json } from './server.ts';

type Server = { call(path: string, init?: CallInit): Promise<Answer> };

export interface ActorFixture {
  token?: string;
  name?: string;
  /** Further fields of the Actor. */
  fields?: Json;
  envVars?: Json[];
}

/** Creates an Actor with these files and builds it. */
export async function createActor(
  server: Server,
  files: Record<string, string>,
  { token, name = `actor-${randomUUID().slice(0, 8)}`, fields = {}, envVars = [] }: ActorFixture = {},
): Promise<Json> {
  const who: CallInit = token === undefined ? {} : { token };
  const sourceFiles = Object.entries(files).map(([file, content]) => ({
    name: file,
    format: 'TEXT',
    content,
  }));
  const version = {
    versionNumber: '0.1',
    sourceType: 'SOURCE_FILES',
    buildTag: 'latest',
    sourceFiles,
    envVars,
  };
  const created = await server.call('/v2/actors', {
    ...who,
    method: 'POST',
    body: { name, ...fields, versions: [version] },
  });
  assert.equal(created.status, 201, created.text);
  const actor = created.json.data as Json;
  await buildActor(server, actor['id'] as string, who);
  return actor;
}

/** Builds version 0.1, and fails with the log where that does not succeed. */
async function buildActor(server: Server, actorId: string, who: CallInit = {}): Promise<Json> {
  const begun = await server.call(`/v2/actors/${actorId}/builds?version=0.1`, { ...who, method: 'POST' });
  assert.equal(begun.status, 201, begun.text);
  const id = begun.json.data.id as string;
  let build: Json = begun.json.data as Json;
  const isFinished = async () => {
    build = (await server.call(`/v2/actor-builds/${id}?waitForFinish=60`, who)).json.data as Json;
    return build['finishedAt'] != null;
  };
  // On a busy machine npm takes minutes for the hundreds of packages of the SDK.
  await eventually(isFinished, 'the end of the build', 3 * PATIENCE_MS);
  if (build['status'] !== 'SUCCEEDED') {
    const log = await server.call(`/v2/logs/${id}`, who);
    assert.fail(`The build is ${build['status']}: ${log.text}`);
  }
  return build;
}

export interface RunFixture {
  token?: string;
  /** Sent as JSON unless it is a string. */
  input?: unknown;
  query?: string;
  headers?: Record<string, string>;
}

export async function startRun(
  server: Server,
  actorId: string,
  { token, input, query = '', headers }: RunFixture = {},
): Promise<Json> {
  const answer = await server.call(`/v2/actors/${actorId}/runs?${query}`, {
    method: 'POST',
    ...(token !== undefined && { token }),
    ...(input !== undefined && { body: input }),
    ...(headers && { headers }),
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data as Json;
}

/** The run once it has finished. */
export async function finishedRun(server: Server, id: string, who: CallInit = {}): Promise<Json> {
  let run: Json = {};
  await eventually(async () => {
    run = (await server.call(`/v2/actor-runs/${id}?waitForFinish=60`, who)).json.data as Json;
    return run['finishedAt'] != null;
  }, 'the end of the run');
  return run;
}

/** Starts a run and waits for its end. */
export async function runActor(server: Server, actorId: string, fixture: RunFixture = {}): Promise<Json> {
  const { id } = await startRun(server, actorId, fixture);
  return await finishedRun(server, id as string, fixture.token === undefined ? {} : { token: fixture.token });
}

export async function logOf(server: Server, id: string): Promise<string> {
  return (await server.call(`/v2/logs/${id}`)).text;
}

/** The status of a run, for tests that wait for one. */
export async function statusOf(server: Server, id: string): Promise<string> {
  return (await server.call(`/v2/actor-runs/${id}`)).json.data.status as string;
}
