// A server in a child process, to be killed.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import pg from 'pg';
import { start, startServer } from '../../src/cli/fixture.ts';
import type { Location, TestEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import type { CallInit, Json } from '../server.ts';

export const TOKEN = 'api-crash-administrator-token';
/** For servers that share a database, or have a role of their own. */
export const SECRET_KEY = 'a key for crashes, the same for all nodes';

export interface ChildServer {
  url: string;
  /** Ends it as a power cut would: no handler runs, nothing is flushed. What it has sent to PostgreSQL is done afterwards. */
  kill(): Promise<void>;
  /** Waits until it has ended itself at a checkpoint. */
  died(): Promise<void>;
}

/** Environment variables. */
export type Settings = Record<string, string> & { SIGNALBOX_DATA: string };

/** On a free port, unless it is given. */
export async function startChild(settings: Settings, port = 0): Promise<ChildServer> {
  const { env, database } = environmentOf(settings);
  const server = await startServer(settings.SIGNALBOX_DATA, ['--port', String(port)], env);
  return {
    url: server.url,
    async kill() {
      server.kill('SIGKILL');
      await server.ended;
      await database?.ended();
    },
    async died() {
      assert.equal((await server.ended).signal, 'SIGKILL');
      await database?.ended();
    },
  };
}

/** Starts a server that ends itself when it passes a checkpoint for the n-th time, and waits until it has. */
export async function runUntil(checkpoint: string, count: number, settings: Settings): Promise<void> {
  const { env, database } = environmentOf({ ...settings, ...dieAt(checkpoint, count) });
  // It may die before it listens.
  const { ended } = start(['serve', '--port', '0', '--data', settings.SIGNALBOX_DATA], env);
  const { signal, err } = await ended;
  assert.equal(signal, 'SIGKILL', err);
  await database?.ended();
}

/** For the environment of a server that ends itself when it passes a checkpoint for the n-th time. */
export function dieAt(checkpoint: string, count: number): Record<string, string> {
  return {
    DIE_AT: JSON.stringify({ checkpoint, count }),
    NODE_OPTIONS: `--import ${new URL('die-at.ts', import.meta.url).href}`,
  };
}

function environmentOf(settings: Settings) {
  const database =
    settings['DATABASE_URL'] === undefined ? undefined : namedSessions(settings['DATABASE_URL']);
  const env = {
    PATH: process.env['PATH'],
    SIGNALBOX_ADMIN_TOKEN: TOKEN,
    SIGNALBOX_LIMITS: 'off',
    SIGNALBOX_LOG_LEVEL: 'warn',
    ...settings,
    ...(database !== undefined && { DATABASE_URL: database.url }),
  };
  return { env, database };
}

/** PostgreSQL finishes a commit that a killed server has sent: until its sessions are over, what a test reads may change. */
function namedSessions(location: Location) {
  const name = `server-${randomUUID()}`;
  const url = new URL(location);
  url.searchParams.set('application_name', name);
  const isOver = async (client: pg.Client) => {
    const { rowCount } = await client.query('select from pg_stat_activity where application_name = $1', [
      name,
    ]);
    return rowCount === 0;
  };
  return {
    url: url.href,
    async ended(): Promise<void> {
      const client = new pg.Client(location);
      await client.connect();
      try {
        await eventually(() => isOver(client), 'the end of the sessions of the killed server');
      } finally {
        await client.end();
      }
    },
  };
}

/** A fresh database of the engine, and the settings of a server on it; both are removed after the suite. */
export async function settingsOn(engine: TestEngine): Promise<{ location: Location; settings: Settings }> {
  const location = await engine.migratedDatabase();
  if (engine.kind === 'sqlite') return { location, settings: { SIGNALBOX_DATA: dirname(location) } };
  const own = { SIGNALBOX_DATA: await engine.folder(), DATABASE_URL: location };
  // Nodes of one database refuse to start without a key that they share.
  return { location, settings: { ...own, SIGNALBOX_SECRET_KEY: 'a key for tests, the same for all nodes' } };
}

/** Calls of the administrator, or with another token, on a server that may be replaced meanwhile. */
export function callerOf(url: () => string, token = TOKEN) {
  return {
    async call(path: string, { method = 'GET', body }: CallInit = {}) {
      const answer = await fetch(url() + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        get json() {
          return JSON.parse(text) as Json;
        },
      };
    },
  };
}
