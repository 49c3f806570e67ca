// Fixture of the import tests: an account with one of everything, and a server in front of another that can misbehave.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { TestEngine } from '../../../../test/engines.ts';
import { startServerOn } from '../../../../test/suites.ts';
import { ADMIN_TOKEN, type Answer, type CallInit, type TestServer } from '../../../../test/server.ts';
import { createHttpServer, request } from '../../../kernel/network/http-client.ts';
import { makeFolder, run } from '../../fixture.ts';
import type { Io } from '../../io.ts';
import type { summarizeImport } from '../import-report.ts';

/** Calls the server, and fails on any answer but these. */
export async function must(server: TestServer, path: string, init: CallInit = {}): Promise<Answer> {
  const answer = await server.call(`/v2${path}`, init);
  assert.ok(answer.status < 300, `${init.method ?? 'GET'} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

export async function post(
  server: TestServer,
  path: string,
  body: unknown = {},
): Promise<Record<string, string>> {
  const { text, json } = await must(server, path, { method: 'POST', body });
  return text === '' ? {} : (json.data as Record<string, string>);
}

export const sourceFile = (name: string, content: string) => ({ name, format: 'TEXT', content });

export async function giveActor(server: TestServer, name: string, more: object = {}): Promise<string> {
  const version = {
    versionNumber: '0.1',
    sourceType: 'SOURCE_FILES',
    buildTag: 'latest',
    sourceFiles: [
      sourceFile('main.js', `console.log('${name}');`),
      sourceFile('package.json', '{"scripts":{"start":"node main.js"}}'),
    ],
    envVars: [
      { name: 'PLAIN', value: 'seen' },
      { name: 'HIDDEN', value: 'never seen', isSecret: true },
    ],
  };
  return (await post(server, '/actors', { name, title: `The ${name}`, versions: [version], ...more }))['id']!;
}

export async function giveItems(server: TestServer, name: string, count: number): Promise<string> {
  const { id } = await post(server, `/datasets?name=${name}`);
  for (let start = 0; start < count; start += 1000) {
    const items = Array.from({ length: Math.min(1000, count - start) }, (_, index) => ({ n: start + index }));
    await post(server, `/datasets/${id}/items`, items);
  }
  return id!;
}

/** Records of several types, one of them compressed. */
export async function giveRecords(server: TestServer, name: string, count: number): Promise<string> {
  const { id } = await post(server, `/key-value-stores?name=${name}`);
  const put = (key: string, body: string | Uint8Array, headers: Record<string, string>) =>
    must(server, `/key-value-stores/${id}/records/${key}`, { method: 'PUT', body, headers });
  for (let index = 0; index < count; index += 1)
    await put(`page-${String(index).padStart(4, '0')}`, `{"index":${index}}`, {
      'content-type': 'application/json',
    });
  await put('picture', Uint8Array.from([0, 255, 1, 254]), { 'content-type': 'image/png' });
  await put('page.html', brotliCompressSync('<p>hello</p>'.repeat(100)), {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'br',
  });
  return id!;
}

/** Half of the requests are handled. */
export async function giveRequests(server: TestServer, name: string, count: number): Promise<string> {
  const { id } = await post(server, `/request-queues?name=${name}`);
  for (let start = 0; start < count; start += 25) {
    const requests = Array.from({ length: Math.min(25, count - start) }, (_, index) => ({
      url: `http://site.example/${start + index}`,
      uniqueKey: `key-${start + index}`,
      userData: { index: start + index },
      ...((start + index) % 2 === 1 && { handledAt: '2026-01-02T03:04:05.000Z' }),
    }));
    await post(server, `/request-queues/${id}/requests/batch`, requests);
  }
  return id!;
}

export async function listItems(server: TestServer, name: string): Promise<{ n: number }[]> {
  return JSON.parse((await must(server, `/datasets/~${name}/items`)).text) as { n: number }[];
}

export interface Front {
  url: string;
  /** Paths of the calls, with their query. */
  calls: string[];
  close(): void;
}

/** What a front does with a call: an answer of its own, an answer that is cut off after some bytes, or nothing. */
export type Fault = { status: number; headers?: Record<string, string> } | { cutAfter: number } | undefined;

/** Passes calls on to the server, except those that the rule decides about. */
export async function openFront(
  server: { url: string },
  rule: (call: { method: string; path: string }, count: number) => Fault = () => undefined,
): Promise<Front> {
  const calls: string[] = [];
  const front = createHttpServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', url: path = '', headers } = incoming;
    calls.push(`${method} ${path}`);
    const fault = rule({ method, path }, calls.length);
    if (fault !== undefined && 'status' in fault) {
      incoming.resume();
      outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      outgoing.end(JSON.stringify({ error: { type: 'made-up', message: `Made up ${fault.status}` } }));
      return;
    }
    const forwarded = request(server.url + path, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (fault === undefined) {
        answer.pipe(outgoing);
        return;
      }
      let passed = 0;
      answer.on('data', (chunk: Buffer) => {
        outgoing.write(chunk.subarray(0, Math.max(0, fault.cutAfter - passed)));
        passed += chunk.length;
        if (passed >= fault.cutAfter) outgoing.destroy();
      });
      answer.on('end', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close() {
      front.closeAllConnections();
      front.close();
    },
  };
}

export type Summary = ReturnType<typeof summarizeImport>;

export interface Imported {
  code: number | null;
  err: string;
  summary: Summary;
}

/** Runs the command between two servers whose administrators have the same token. */
export async function importActors(
  from: { url: string },
  to: { url: string },
  data: string,
  ...flags: string[]
): Promise<Imported> {
  const { code, out, err } = await runImport(from, to, data, flags);
  assert.notEqual(out, '', err);
  return { code, err, summary: JSON.parse(out) as Summary };
}

function runImport(
  from: { url: string },
  to: { url: string },
  data: string,
  flags: readonly string[] = [],
  io: Partial<Io> = {},
) {
  const env = { APIFY_TOKEN: ADMIN_TOKEN, SIGNALBOX_TOKEN: ADMIN_TOKEN };
  return run(['import', 'actors', '--from-url', from.url, '--to-url', to.url, '--data', data, ...flags], {
    env,
    ...io,
  });
}

export interface TwoServers {
  readonly from: TestServer;
  /** A new one for each test. */
  readonly to: TestServer;
  /** A folder for the notes of imports, new for each test. */
  readonly data: string;
  /** Closed after the test. */
  front(...args: Parameters<typeof openFront>): Promise<Front>;
}

/** Declares a server to copy from, and one to copy to for each test. */
export function onTwoServers(engine: TestEngine): TwoServers {
  const fronts: Front[] = [];
  let from: TestServer;
  let to: TestServer;
  let data: string;
  before(async () => {
    from = await startServerOn(engine, { limits: 'off' });
  });
  beforeEach(async () => {
    to = await startServerOn(engine, { limits: 'off' });
    data = makeFolder();
  });
  afterEach(async () => {
    for (const opened of fronts.splice(0)) opened.close();
    await to.stop();
  });
  after(() => from.stop());
  return {
    get from() {
      return from;
    },
    get to() {
      return to;
    },
    get data() {
      return data;
    },
    async front(...args) {
      const opened = await openFront(...args);
      fronts.push(opened);
      return opened;
    },
  };
}
