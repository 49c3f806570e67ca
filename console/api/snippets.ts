// A call as a command or a program that does the same, from the very description that the console sends.
import { addressOf, headersOf, type Call } from './call.ts';
import { ORIGIN } from './server.ts';

export type Client = 'curl' | 'fetch' | 'octokit' | 'apify-client';

export const CLIENT_NAMES: Readonly<Record<Client, string>> = {
  curl: 'curl',
  fetch: 'fetch',
  octokit: 'octokit',
  'apify-client': 'apify-client',
};

/** Where no token is put in, the variable stands for it. */
const TOKEN = '$SIGNALBOX_TOKEN';

/** Of the clients that speak this API. */
export function clientsOf({ api, method = 'GET' }: Call): Client[] {
  if (api === 'host') return ['curl', 'fetch', 'octokit'];
  if (api === 'actors' && method === 'GET') return ['curl', 'fetch', 'apify-client'];
  return ['curl', 'fetch'];
}

export function snippetOf(call: Call, client: Client, token?: string): string {
  if (client === 'curl') return asCurl(call, token);
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

function asCurl(call: Call, token?: string): string {
  const { method = 'GET', body } = call;
  const credential = `authorization: ${authorization(call, token ?? TOKEN)}`;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(ORIGIN + addressOf(call))}`,
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

function asApifyClient({ path, query = {} }: Call): string {
  const [collection = '', id, ...rest] = path.split('/').slice(1);
  const names: Record<string, [string, string]> = {
    'actor-runs': ['runs', 'run'],
    acts: ['actors', 'actor'],
    datasets: ['datasets', 'dataset'],
    schedules: ['schedules', 'schedule'],
    'actor-tasks': ['tasks', 'task'],
  };
  const [many, one] = names[collection] ?? ['runs', 'run'];
  const options = Object.keys(query).length === 0 ? '' : JSON.stringify(query);
  const call =
    id === undefined
      ? `${many}().list(${options})`
      : rest[0] === 'runs'
        ? `${one}('${id}').runs().list(${options})`
        : `${one}('${id}').get()`;
  return [
    "import { ApifyClient } from 'apify-client';",
    `const client = new ApifyClient({ baseUrl: '${ORIGIN}', token: process.env.SIGNALBOX_TOKEN });`,
    `console.log(await client.${call});`,
  ].join('\n');
}
