// Suites on a running server: a server on the suite's engine, and a setup for each test.
import { after, before, beforeEach } from 'node:test';
import type { Config } from '../src/app/config.ts';
import type { TestEngine } from './engines.ts';
import { startServer, type TestServer } from './server.ts';

/** On a new database of the engine. */
export async function startServerOn(engine: TestEngine, settings: Partial<Config> = {}): Promise<TestServer> {
  return startServer({
    ...(engine.kind === 'postgres' && { database: await engine.migratedDatabase() }),
    ...settings,
  });
}

/** Declares a server for the suite, and the setup of each test. */
export function onServer(
  engine: TestEngine,
  settings: Partial<Config>,
  begin: (server: TestServer) => Promise<void>,
): void {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, settings);
  });
  after(() => server.stop());
  beforeEach(() => begin(server));
}

export interface Nodes {
  server: TestServer;
  /** Present if the engine supports several nodes. */
  other?: TestServer;
  stop(): Promise<void>;
}

/** Two nodes without rate limits on one new database; only one on SQLite. */
export async function startNodes(engine: TestEngine): Promise<Nodes> {
  if (engine.kind === 'sqlite') {
    const server = await startServer({ limits: 'off' });
    return { server, stop: () => server.stop() };
  }
  const database = await engine.migratedDatabase();
  const server = await startServer({ database, limits: 'off' });
  const other = await startServer({ database, limits: 'off' });
  return {
    server,
    other,
    async stop() {
      await other.stop();
      await server.stop();
    },
  };
}
