// A complete server in the process of the test, on a free port, with an administrator's token and an adjustable clock.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openApp, type App, type AppOptions } from '../src/app/app.ts';
import type { Config } from '../src/app/config.ts';
import { readSettings } from '../src/app/read-settings.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { publicPathOf } from '../src/kernel/http/public-path.ts';
import { Agent, request } from '../src/kernel/network/http-client.ts';
import { checkErrorMessage } from './error-messages.ts';
import { checkHostReply } from './host-contract/check-reply.ts';
import { recordCall } from './recorder.ts';
import { checkHtmlUrls, checkSiteLinks } from './site-links.ts';
import { migratedFile } from './templates.ts';

export const ADMIN_TOKEN = 'api-test-administrator-token';
/** Nodes on one database share it, though each has a data folder of its own. */
const SECRET_KEY = 'a key for tests, the same for all nodes';

/** Starts of programs stay cheap, and tests serve them sites on loopback; those of networks set their own. */
const NETWORK = { actorNetwork: 'host' } as const;

/** Tests call faster than people do; those of secondary limits set their own. */
const NO_SECONDARY_LIMITS = {
  secondaryLimitConcurrent: 0,
  secondaryLimitPoints: 0,
  secondaryLimitGraphql: 0,
  secondaryLimitContentMinute: 0,
  secondaryLimitContentHour: 0,
};

export interface TestServer {
  url: string;
  /** Not after `stop`. */
  readonly app: App;
  clock: TestClock;
  /** All log lines, parsed. */
  readonly log: Record<string, unknown>[];
  /** A call with the administrator's token, unless the headers say otherwise. */
  call(path: string, init?: CallInit): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallInit {
  method?: string;
  /** The administrator's token by default; null sends none. */
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a string or bytes. */
  body?: unknown;
}

/** A JSON body: tests assert its fields, so types would not help. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Record<string, any>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; fails the test if it is not. */
  json: Json;
}

export class TestClock implements Clock {
  /** The difference to the real time, or to the moment when it was stopped. */
  ahead = 0;
  #stoppedAt: number | undefined;

  now(): number {
    return (this.#stoppedAt ?? Date.now()) + this.ahead;
  }

  /** Sets a fixed moment, from which time continues unless it is stopped. */
  goTo(at: number): void {
    this.ahead += at - this.now();
  }

  /** From now on time passes only when a test moves it. */
  stop(): void {
    this.#stoppedAt = Date.now();
  }
}

/**
 * The same `data` (and `database`) restarts a server on its earlier content. With limits of its own its clock is stopped, so
 * that no window ends before the test has used it up.
 */
export async function startServer(
  settings: Partial<Config> = {},
  options: Pick<AppOptions, 'isPageSecretRequired'> = {},
): Promise<TestServer> {
  const folder = settings.data === undefined ? mkdtempSync(join(tmpdir(), 'signalbox-test-')) : undefined;
  if (folder !== undefined && settings.database === undefined)
    writeFileSync(join(folder, 'signalbox.db'), await migratedFile());
  const { config, sources } = readSettings({
    flags: { port: '0', data: folder ?? settings.data! },
    env: {},
    file: {},
  });
  const given = Object.fromEntries(Object.keys(settings).map((name) => [name, 'flag' as const]));
  const clock = new TestClock();
  if (settings.limit !== undefined) clock.stop();
  const lines: string[] = [];
  const log: Record<string, unknown>[] = [];
  let opened: App | undefined = await openApp(
    {
      ...config,
      ...NO_SECONDARY_LIMITS,
      ...NETWORK,
      adminToken: ADMIN_TOKEN,
      secretKey: SECRET_KEY,
      // Some machines that run tests have little room, and no test needs a file of random bytes.
      diskReserve: 0,
      logLevel: 'debug',
      ...settings,
    },
    {
      ...options,
      sources: { ...sources, ...given },
      clock,
      log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
    },
  );
  const url = await opened.listen();
  return {
    url,
    get app() {
      assert.ok(opened !== undefined, 'The server has been stopped.');
      return opened;
    },
    clock,
    /** Parsed on demand, as most tests never read it. */
    get log() {
      for (const line of lines.splice(0).join('').trimEnd().split('\n'))
        if (line !== '') log.push(JSON.parse(line) as Record<string, unknown>);
      return log;
    },
    call: (path, init) => callOn(url, path, init, settings.publicUrl),
    async stop() {
      await opened?.close();
      // Variables of test files live as long as their process, which would grow by several megabytes with each server.
      opened = undefined;
      // One string takes a fraction of the many pieces that each line is made of.
      lines.splice(0, lines.length, lines.join(''));
      // Beside the data folder is the work folder, where each program has a user of its own.
      for (const path of folder === undefined ? [] : [folder, `${folder}-work`])
        rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const agent = new Agent({ keepAlive: true });

/** Without `fetch`, which takes four times as long: tests make tens of thousands of calls. */
export async function callOn(
  url: string,
  path: string,
  { method = 'GET', token = ADMIN_TOKEN, headers = {}, body }: CallInit = {},
  publicUrl = url,
): Promise<Answer> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const bytes = isRaw ? body : JSON.stringify(body);
  const sentHeaders = {
    accept: '*/*',
    ...(token !== null && { authorization: path.startsWith('/api/v2') ? token : `Bearer ${token}` }),
    ...(bytes !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(bytes)),
    }),
    ...headers,
  };
  const outgoing = request(url + path, { method, agent, headers: sentHeaders });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.end(bytes);
  const [response] = await answered;
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(response, 'end');
  const status = response.statusCode!;
  const type = response.headers['content-type'] ?? '';
  const sent = bytes === undefined ? {} : { sent: Buffer.from(bytes).toString() };
  recordCall({ method, path, headers: sentHeaders, ...sent, status, type, text });
  const header = (name: string) => response.headersDistinct[name]?.join(', ');
  checkHostReply({ method, path, status, header, text });
  checkSiteLinks(path, text, publicPathOf(publicUrl));
  checkHtmlUrls(publicUrl, { version: header('x-github-api-version-selected'), text });
  checkErrorMessage(status, type, text);
  return {
    status,
    get headers() {
      return new Headers(
        Object.entries(response.headersDistinct).flatMap(([name, values]) =>
          (values ?? []).map((value): [string, string] => [name, value]),
        ),
      );
    },
    text,
    get json() {
      return JSON.parse(text) as Json;
    },
  };
}
