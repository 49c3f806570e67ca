// A call as a command or a program that does the same, from the very description that the console sends.
import { addressOf, headersOf, type Call } from './call.ts';
import { ORIGIN } from './server.ts';

export type Client = 'curl' | 'fetch' | 'cli' | 'octokit' | 'apify-client';

export const CLIENT_NAMES: Readonly<Record<Client, string>> = {
  curl: 'curl',
  fetch: 'fetch',
  cli: 'CLI',
  octokit: 'octokit',
  'apify-client': 'apify-client',
};

/** Where no token is put in, the variable stands for it. */
const TOKEN = '$SIGNALBOX_TOKEN';

/** Of the clients that speak this API. */
export function clientsOf(call: Call): Client[] {
  const plain = ['curl', 'fetch', 'cli'] as const;
  if (call.api === 'host') return [...plain, 'octokit'];
  return call.api === 'actors' && apifyCallOf(call) !== undefined ? [...plain, 'apify-client'] : [...plain];
}

export interface SnippetOptions {
  /** Put in where it is given. */
  token?: string | undefined;
  /** How the program of this server is called where it was started. */
  program?: string | undefined;
}

export function snippetOf(call: Call, client: Client, { token, program }: SnippetOptions = {}): string {
  if (client === 'curl') return asCurl(call, token);
  if (client === 'cli') return asCommand(call, program, token);
  if (client === 'octokit') return asOctokit(call);
  if (client === 'apify-client') return asApifyClient(call);
  return asFetch(call);
}

/** The flags API takes a token as it is, the others as a bearer token. */
function authorization({ api }: Call, token: string): string {
  return api === 'flags' ? token : `Bearer ${token}`;
}

/** In single quotes nothing has a meaning to a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Most have no characters that mean anything to a shell. */
function quoteAddress(address: string): string {
  return /^[\w:/.~%@+,-]+$/.test(address) ? address : quote(address);
}

function asCurl(call: Call, token?: string): string {
  const { method = 'GET', body } = call;
  const credential = `authorization: ${authorization(call, token ?? TOKEN)}`;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoteAddress(ORIGIN + addressOf(call))}`,
    // Double quotes, so that the shell puts the variable in.
    `-H ${token === undefined ? `"${credential}"` : quote(credential)}`,
    ...Object.entries(headersOf(call)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

function asFetch(call: Call): string {
  const { method = 'GET', body } = call;
  const credential =
    call.api === 'flags' ? 'process.env.SIGNALBOX_TOKEN' : '`Bearer ${process.env.SIGNALBOX_TOKEN}`';
  const lines = [
    `const response = await fetch(${JSON.stringify(ORIGIN + addressOf(call))}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    `    authorization: ${credential},`,
    ...Object.entries(headersOf(call)).map(
      ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    ),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(JSON.stringify(body, undefined, 2))}),`]),
    '});',
    'console.log(await response.json());',
  ];
  return lines.join('\n');
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function asOctokit(call: Call): string {
  const { method = 'GET', path, query = {}, body } = call;
  const parameters = { ...query, ...(typeof body === 'object' ? body : {}) };
  const rest = Object.keys(parameters).length === 0 ? '' : `, ${JSON.stringify(parameters, undefined, 2)}`;
  return [
    "import { Octokit } from 'octokit';",
    `const octokit = new Octokit({ baseUrl: '${ORIGIN}', auth: process.env.SIGNALBOX_TOKEN });`,
    `const { data } = await octokit.request(${JSON.stringify(`${method} ${path}`)}${rest});`,
    'console.log(data);',
  ].join('\n');
}

/** By the names that the client has for them. */
const APIFY_RESOURCES: Readonly<Record<string, readonly [many: string, one: string]>> = {
  acts: ['actors', 'actor'],
  'actor-builds': ['builds', 'build'],
  'actor-runs': ['runs', 'run'],
  'actor-tasks': ['tasks', 'task'],
  datasets: ['datasets', 'dataset'],
  'key-value-stores': ['keyValueStores', 'keyValueStore'],
  'request-queues': ['requestQueues', 'requestQueue'],
  schedules: ['schedules', 'schedule'],
  webhooks: ['webhooks', 'webhook'],
};

/** What may stand behind an id, each with the method of the client. */
const APIFY_PARTS: Readonly<Record<string, string>> = {
  builds: 'builds().list',
  items: 'listItems',
  keys: 'listKeys',
  runs: 'runs().list',
  webhooks: 'webhooks().list',
};

/** Undefined where the client has no method for it that we know. */
function apifyCallOf({ path, method = 'GET', query = {} }: Call): string | undefined {
  const [collection = '', id, part, ...rest] = path.split('/').slice(1).map(decodeURIComponent);
  const options = Object.keys(query).length === 0 ? '' : JSON.stringify(query);
  if (method !== 'GET' || rest.length > 0) return undefined;
  if (path === '/users/me') return 'user().get()';
  const names = Object.hasOwn(APIFY_RESOURCES, collection) ? APIFY_RESOURCES[collection] : undefined;
  if (names === undefined) return undefined;
  const [many, one] = names;
  if (id === undefined) return `${many}().list(${options})`;
  const resource = `${one}(${JSON.stringify(id)})`;
  if (part === undefined) return `${resource}.get()`;
  return Object.hasOwn(APIFY_PARTS, part) ? `${resource}.${APIFY_PARTS[part]!}(${options})` : undefined;
}

function asApifyClient(call: Call): string {
  return [
    "import { ApifyClient } from 'apify-client';",
    `const client = new ApifyClient({ baseUrl: '${ORIGIN}', token: process.env.SIGNALBOX_TOKEN });`,
    `console.log(await client.${apifyCallOf(call)});`,
  ].join('\n');
}

/** Without a token it is taken from the environment, or from a saved profile. */
function asCommand(call: Call, program = 'signalbox', token?: string): string {
  const { method = 'GET', body, contentType, headers = {} } = call;
  const further = { ...(contentType !== undefined && { 'content-type': contentType }), ...headers };
  const lines = [
    `${token === undefined ? '' : `SIGNALBOX_TOKEN=${quote(token)} `}${program} api ${method} ${quote(addressOf(call))}`,
    `--url ${quote(ORIGIN)}`,
    ...Object.entries(further).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ['--input -']),
  ];
  const input = body === undefined ? '' : `echo ${quote(JSON.stringify(body))} | `;
  return input + lines.join(' \\\n  ');
}
