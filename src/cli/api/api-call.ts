// The command `api`: one call of any API of the server, with what it takes already filled in.
import type { LoadedSettings } from '../../app/read-settings.ts';
import { Failure } from '../../kernel/failure.ts';
import { EXIT, messageOf } from '../command-errors.ts';
import { readInput, writeBytes, type Io } from '../io.ts';
import { openRemote, type RemoteOptions, type RemoteServer } from '../remote/remote-server.ts';
import { send } from '../remote/send.ts';
import { readField, readTarget, splitField, versionHeader, withFields } from './api-fields.ts';
import { readListPage } from './api-pages.ts';
import { readFileSync } from 'node:fs';

interface ApiCallOptions extends RemoteOptions {
  field?: string[];
  rawField?: string[];
  header?: string[];
  /** A file, or - for standard input. */
  input?: string;
  apiVersion?: string;
  include?: boolean;
  paginate?: boolean;
}

const WITHOUT_BODY = ['GET', 'HEAD', 'OPTIONS'];

/** The exit code is 1 for an answer that is an error; its body goes to standard output like any other. */
export async function runApiCall(
  { config }: LoadedSettings,
  words: readonly string[],
  options: ApiCallOptions,
  io: Io,
): Promise<number> {
  const fields = [
    ...(options.field ?? []).map(readField),
    ...(options.rawField ?? []).map((field) => splitField(field, '--raw-field')),
  ];
  const { method, path } = readTarget(words, fields.length > 0 || options.input !== undefined);
  const isRead = WITHOUT_BODY.includes(method);
  if (options.paginate === true && method !== 'GET')
    throw new Failure('invalid', '--paginate is for lists, which are read with GET.');
  if (options.input !== undefined && isRead)
    throw new Failure('invalid', `${method} has no body: leave --input out.`);
  const body = isRead ? undefined : await readBody(options, fields, io);
  const call = {
    method,
    path: isRead || options.input !== undefined ? withFields(path, fields) : path,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(options.apiVersion !== undefined && versionHeader(path, options.apiVersion)),
      ...Object.fromEntries((options.header ?? []).map((header) => readHeader(header))),
    },
    ...(body !== undefined && { body }),
  };
  const server = await openRemote(config, options, io);
  try {
    return options.paginate === true
      ? await printPages(server, call, io)
      : await printAnswer(await send(server, call), options, io);
  } finally {
    await server.close();
  }
}

function readHeader(header: string): [string, string] {
  const [name, value] = splitField(header, '--header', ':');
  if (name.toLowerCase() === 'authorization')
    throw new Failure('invalid', 'The token has an option of its own: --token, or SIGNALBOX_TOKEN.');
  return [name, value.trim()];
}

async function readBody(
  { input }: ApiCallOptions,
  fields: readonly (readonly [string, unknown])[],
  io: Io,
): Promise<string | Uint8Array<ArrayBuffer> | undefined> {
  if (input === undefined)
    return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
  if (input === '-') return new Uint8Array(await readInput(io));
  try {
    return new Uint8Array(readFileSync(input));
  } catch (error) {
    throw new Failure('invalid', `The body cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

async function printAnswer(answer: Response, { include }: ApiCallOptions, io: Io): Promise<number> {
  const head = `HTTP ${answer.status} ${answer.statusText}`.trim();
  if (include === true) {
    const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
    io.out([head, ...lines, ''].join('\n'));
  }
  if (io.isTerminal && isJson(answer)) io.out(indent(await answer.text()));
  else for await (const chunk of answer.body ?? []) await writeBytes(io, chunk as Uint8Array);
  if (answer.ok || answer.status < 400) return EXIT.good;
  io.err(`${head}.`);
  return EXIT.failed;
}

function isJson(answer: Response): boolean {
  return /[/+]json(;|$)/.test(answer.headers.get('content-type') ?? '');
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** One array of all items, written while the pages come. */
async function printPages(
  server: RemoteServer,
  call: { path: string; headers: Record<string, string> },
  io: Io,
): Promise<number> {
  let separator = '[\n';
  for (let path: string | undefined = call.path; path !== undefined;) {
    const answer = await send(server, { ...call, path });
    if (!answer.ok) return await printAnswer(answer, {}, io);
    const { items, next } = readListPage(path, await readJson(answer), answer.headers);
    for (const item of items) {
      await writeBytes(io, Buffer.from(`${separator}${JSON.stringify(item)}`));
      separator = ',\n';
    }
    if (next === path) break;
    path = next;
  }
  await writeBytes(io, Buffer.from(separator === ',\n' ? '\n]\n' : '[]\n'));
  return EXIT.good;
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    throw new Failure('invalid', 'The reply is no JSON: leave --paginate out.');
  }
}
