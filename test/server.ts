// A whole server in the test's own process, on a free port, with an administrator's token and a clock that can be set.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { openApp, type App } from '../src/app.ts';
import { readSettings, type Config } from '../src/config.ts';
import type { Clock } from '../src/kernel/clock.ts';

export const ADMIN_TOKEN = 'api-test-administrator-token';

export interface TestServer {
  url: string;
  app: App;
  clock: TestClock;
  /** Every line that was logged, parsed. */
  log: Record<string, unknown>[];
  /** A call with the administrator's token, unless the headers say otherwise. */
  call(path: string, init?: CallInit): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallInit {
  method?: string;
  /** Without one the administrator's; null sends none. */
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a string or bytes. */
  body?: unknown;
}

/** What a test reads from a body: it asserts as it goes, so that types would only be in the way. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Record<string, any>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; fails the test when it is not. */
  json: Json;
}

export class TestClock implements Clock {
  /** How far ahead of the real time it is. */
  ahead = 0;

  now(): number {
    return Date.now() + this.ahead;
  }

  /** Goes to a fixed moment and runs on from there. */
  goTo(at: number): void {
    this.ahead = at - Date.now();
  }
}

/** Give the same `data` (and `database`) again to restart a server on what it kept. */
export async function startServer(settings: Partial<Config> = {}): Promise<TestServer> {
  const folder = settings.data === undefined ? mkdtempSync(join(tmpdir(), 'signalbox-test-')) : undefined;
  const { config } = readSettings({
    flags: { port: '0', data: folder ?? settings.data! },
    env: {},
    file: {},
  });
  const clock = new TestClock();
  const log: Record<string, unknown>[] = [];
  const app = await openApp(
    { ...config, adminToken: ADMIN_TOKEN, logLevel: 'debug', ...settings },
    { clock, log: collectingLog(log) },
  );
  const url = await app.listen();
  return {
    url,
    app,
    clock,
    log,
    call: (path, init) => call(url, path, init),
    async stop() {
      await app.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function collectingLog(lines: Record<string, unknown>[]): Logger {
  return pino(
    { level: 'debug' },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
}

async function call(
  url: string,
  path: string,
  { method = 'GET', token = ADMIN_TOKEN, headers = {}, body }: CallInit = {},
): Promise<Answer> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== null && { authorization: path.startsWith('/api/v2') ? token : `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as Uint8Array<ArrayBuffer> }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as Json;
    },
  };
}
