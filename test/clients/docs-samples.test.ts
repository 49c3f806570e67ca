// The samples of the documentation: each is run with the client that it names, and makes the call that it stands beside.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ApifyClient } from 'apify-client';
import * as launchDarkly from 'launchdarkly-api-typescript';
import { Octokit } from 'octokit';
import { apis } from '../../src/app/apis.ts';
import { readExamples, type Examples } from '../../src/kernel/openapi/examples.ts';
import { pythonOf } from '../../src/kernel/openapi/reference/python-sample.ts';
import {
  bodyText,
  commandOf,
  sampleCall,
  type SampleCall,
} from '../../src/kernel/openapi/reference/samples.ts';
import type { Api } from '../../src/kernel/http/protocol.ts';
import type { RouteShape } from '../../src/kernel/http/route.ts';
import { run as runCommand } from '../../src/cli/fixture.ts';

interface Received {
  method: string;
  path: string;
  body: string;
}

let recorder: Server;
let url: string;
let received: Received[] = [];
before(async () => {
  recorder = createServer((request, response) => {
    const [path = ''] = request.url!.split('?');
    const one: Received = { method: request.method!, path: decodeURIComponent(path), body: '' };
    received.push(one);
    request.setEncoding('utf8').on('data', (part: string) => (one.body += part));
    request.on('end', () => {
      // A batch that is not answered so is sent again.
      const processedRequests = path.endsWith('/batch') ? JSON.parse(one.body) : [];
      const data = { processedRequests, unprocessedRequests: [] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
});
after(() => {
  recorder.closeAllConnections();
  recorder.close();
});

interface Sample {
  shape: RouteShape;
  call: SampleCall;
  text: string | undefined;
}

function* samplesOf(api: Api, examples: Examples): Generator<Sample> {
  const version = api.protocol.versions.names.at(-1)!;
  for (const { shape } of api.routes) {
    if (shape.aliasOf !== undefined) continue;
    const { id, method, path } = shape;
    const call = sampleCall(shape, api.protocol, { publicUrl: url, version }, examples[id] ?? {});
    const resource = api.tags?.get(id)?.name ?? '';
    yield { shape, call, text: api.protocol.client?.write({ id, method, path, resource }, call) };
  }
}

/** Octokit sends no empty object, and of an object with one list the list alone, where the API takes both. */
function isSent(text: string, body: object): boolean {
  const values: unknown[] = Object.values(body);
  if (text === '') return values.length === 0;
  try {
    const sent: unknown = JSON.parse(text);
    return [body, values[0]].some((one) => isDeepStrictEqual(sent, one));
  } catch {
    return false;
  }
}

/** Runs a sample without its imports, with these values instead. */
async function run(text: string, values: Record<string, unknown>): Promise<unknown> {
  const body = text.replaceAll(/^import .*$/gm, '');
  const console = { log: () => {} };
  const names = Object.keys({ ...values, console });
  // oxlint-disable-next-line typescript/no-implied-eval
  const program = new Function(...names, `return (async () => {${body}\n})();`);
  try {
    return await program(...Object.values({ ...values, console }));
  } catch (error) {
    // Clients look into replies, which are empty here.
    return error;
  }
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** Neither waits nor tries again. */
const PlainOctokit = Octokit.defaults({
  throttle: { enabled: false },
  retry: { enabled: false },
  log: quiet,
});

const classes = Object.fromEntries(
  Object.entries(launchDarkly).filter(([name]) => /^\w+Api$|^Configuration$/.test(name)),
);

interface Client {
  values: Record<string, unknown>;
  atLeast: number;
  /** Whether it sends bodies as they are given. */
  sendsAsGiven: boolean;
}

const CLIENTS: Record<string, Client> = {
  flags: { values: classes, atLeast: 144, sendsAsGiven: true },
  actors: { values: { ApifyClient }, atLeast: 95, sendsAsGiven: false },
  host: { values: { Octokit: PlainOctokit }, atLeast: 365, sendsAsGiven: true },
};

for (const api of apis) {
  const { name, client } = api.protocol;
  if (client === undefined) continue;
  const { values, atLeast, sendsAsGiven } = CLIENTS[name]!;

  test(`${name}: each sample of ${client.name} makes its call`, async () => {
    let count = 0;
    const wrong: string[] = [];
    for (const { shape, call, text } of samplesOf(api, await readExamples(name))) {
      if (text === undefined) continue;
      received = [];
      const result = await run(text, values);
      const path = decodeURIComponent(new URL(call.url).pathname).replace(/(?<=.)\/$/, '');
      const isMade = received.some(
        (one) =>
          one.method === shape.method &&
          one.path === path &&
          (!sendsAsGiven || typeof call.body !== 'object' || isSent(one.body, call.body!)),
      );
      if (isMade) count++;
      else
        wrong.push(
          `${shape.id} ${shape.method} ${path}: ${received.map((one) => `${one.method} ${one.path} ${one.body}`).join(', ')} ${result instanceof Error ? result.message : ''}`,
        );
    }
    assert.deepEqual(wrong, []);
    assert.ok(count >= atLeast, `${count} samples`);
  });
}

const hasPython = spawnSync('python3', ['--version']).error === undefined;

test('every sample in Python can be read by it', { skip: !hasPython && 'python3 is missing' }, async () => {
  const texts: string[] = [];
  for (const api of apis)
    for (const { call } of samplesOf(api, await readExamples(api.protocol.name))) texts.push(pythonOf(call));
  const program = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)';
  execFileSync('python3', ['-c', program], { input: JSON.stringify(texts) });
  assert.ok(texts.length > 600);
});

test('every sample of the command line is a command that makes its call', async () => {
  const calls: SampleCall[] = [];
  for (const api of apis)
    for (const { call } of samplesOf(api, await readExamples(api.protocol.name))) calls.push(call);
  const wrong: string[] = [];
  for (const [index, { words, input }] of readCommands(calls.map(commandOf)).entries()) {
    const call = calls[index]!;
    received = [];
    const { err } = await runCommand(words, {
      env: { SIGNALBOX_TOKEN: 'none' },
      readInput: () => Promise.resolve(Buffer.from(input)),
    });
    const [made] = received;
    const path = decodeURIComponent(new URL(call.url).pathname);
    const body = call.body === undefined ? '' : `${bodyText(call.body)}\n`;
    if (made?.method !== call.method || made.path !== path || made.body !== body)
      wrong.push(`${call.method} ${path}: ${JSON.stringify(made)} ${err}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(calls.length > 600);
});

/** What a shell gives to the program of each command: its words, and the text that it reads. */
function readCommands(commands: readonly string[]): { words: string[]; input: string }[] {
  const program = [
    String.raw`signalbox() { printf '%s\0' "$@"; printf '\1\0'; case "$*" in *'--input -') cat;; esac; printf '\0\2\0'; }`,
    ...commands,
  ].join('\n');
  const output = execFileSync('sh', { input: program, encoding: 'utf8', maxBuffer: 1 << 26 });
  return output
    .split('\u0000\u0002\u0000')
    .slice(0, -1)
    .map((one) => {
      const [words = '', input = ''] = one.split('\u0000\u0001\u0000');
      return { words: words.split('\u0000'), input };
    });
}
