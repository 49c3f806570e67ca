// Shared by the benches of runs: a server with a work folder, Actors of a few files, and calls that must succeed.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, headers } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import { startOurs, type BenchServer } from './servers.ts';

export interface RunServer extends BenchServer {
  /** Its folder for builds and runs. */
  work: string;
}

/** Runs have all the memory that they ask for: a bench counts processes. */
export async function startRunServer(settings: NodeJS.ProcessEnv = {}): Promise<RunServer> {
  const work = makeReachableFolder();
  const server = await startOurs({
    SIGNALBOX_WORK: work,
    SIGNALBOX_NODE_MEMORY: '1000000',
    SIGNALBOX_ACCOUNT_MEMORY: '1000000',
    ...settings,
  });
  return {
    ...server,
    work,
    async stop() {
      await server.stop();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** Users of sandboxes must be able to go there. */
export function makeReachableFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-work-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** The field `data` of the answer. */
export async function ask<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const connection = new Connection(url, headers);
  const text = await call(connection, method, path, body === undefined ? undefined : JSON.stringify(body));
  connection.close();
  return (JSON.parse(text) as { data: T }).data;
}

let actors = 0;

export async function createActor(url: string, files: Record<string, string>): Promise<string> {
  const sourceFiles = Object.entries(files).map(([name, content]) => ({ name, format: 'TEXT', content }));
  const version = { versionNumber: '0.1', sourceType: 'SOURCE_FILES', buildTag: 'latest', sourceFiles };
  const actor = { name: `bench-${(actors += 1)}`, versions: [version] };
  return (await ask<{ id: string }>(url, 'POST', '/v2/actors', actor)).id;
}

/** Returns how long it took, in milliseconds. */
export async function buildActor(url: string, actorId: string): Promise<number> {
  const begun = performance.now();
  const { id } = await ask<{ id: string }>(url, 'POST', `/v2/actors/${actorId}/builds?version=0.1`);
  const status = await finish(url, `/v2/actor-builds/${id}`);
  if (status !== 'SUCCEEDED') throw new Error(`The build is ${status}: ${await logOf(url, id)}`);
  return performance.now() - begun;
}

/** An Actor of one script, built. */
export async function createScript(url: string, script: string): Promise<string> {
  const actorId = await createActor(url, {
    'package.json': JSON.stringify({ scripts: { start: 'node main.js' } }),
    'main.js': script,
  });
  await buildActor(url, actorId);
  return actorId;
}

export async function startRun(connection: Connection, actorId: string): Promise<string> {
  const path = `/v2/actors/${actorId}/runs?memory=128`;
  const { data } = JSON.parse(await call(connection, 'POST', path)) as { data: { id: string } };
  return data.id;
}

/** Waits for the end of a build or run, and returns its status. */
export async function finish(url: string, path: string): Promise<string> {
  for (;;) {
    const state = await ask<{ status: string; finishedAt: string | null }>(
      url,
      'GET',
      `${path}?waitForFinish=60`,
    );
    if (state.finishedAt != null) return state.status;
  }
}

async function logOf(url: string, id: string): Promise<string> {
  return await (await fetch(`${url}/v2/logs/${id}`, { headers })).text();
}
