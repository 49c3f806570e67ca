// The commands of the first run: one call of each API, for four clients. Each works as it stands in a shell.
import { addressOf, type Call } from '../api/call.ts';
import { ORIGIN } from '../api/server.ts';
import { snippetOf, type SnippetOptions } from '../api/snippets.ts';

/** One card for each API. */
export const CARDS = ['flags', 'actors', 'host'] as const;
export type CardName = (typeof CARDS)[number];

export const CLIENTS = ['curl', 'javascript', 'python', 'cli'] as const;
export type CommandClient = (typeof CLIENTS)[number];

export interface FirstCall {
  call: Call;
  /** What the server calls the operation. */
  operation: string;
}

export function firstCallOf(card: CardName, project: string): FirstCall {
  if (card === 'flags')
    return {
      call: { api: 'flags', path: `/flags/${encodeURIComponent(project)}` },
      operation: 'getFeatureFlags',
    };
  if (card === 'actors') return { call: { api: 'actors', path: '/users/me' }, operation: 'users_me_get' };
  return { call: { api: 'host', path: '/user' }, operation: 'users/get-authenticated' };
}

/** Without a token, the command takes it from the environment. */
export function commandOf(call: Call, client: CommandClient, { token, program }: SnippetOptions): string {
  if (client === 'curl' || client === 'cli') return snippetOf(call, client, { token, program });
  return client === 'javascript' ? asNode(call, token) : asPython(call, token);
}

/** In single quotes nothing has a meaning to a shell. */
function quoted(script: string): string {
  return `'${script.replaceAll("'", String.raw`'\''`)}'`;
}

const scheme = ({ api }: Call) => (api === 'flags' ? '' : 'Bearer ');

function asNode(call: Call, token?: string): string {
  const credential =
    token === undefined
      ? `"${scheme(call)}" + process.env.SIGNALBOX_TOKEN`
      : JSON.stringify(scheme(call) + token);
  return `node -e ${quoted(
    [
      '',
      `fetch(${JSON.stringify(ORIGIN + addressOf(call))}, {`,
      `  headers: { authorization: ${credential} },`,
      '})',
      '  .then((response) => response.text())',
      '  .then(console.log);',
      '',
    ].join('\n'),
  )}`;
}

function asPython(call: Call, token?: string): string {
  const credential =
    token === undefined
      ? `"${scheme(call)}" + os.environ["SIGNALBOX_TOKEN"]`
      : JSON.stringify(scheme(call) + token);
  return `python3 -c ${quoted(
    [
      '',
      ...(token === undefined ? ['import os'] : []),
      'from urllib.request import Request, urlopen',
      'request = Request(',
      `    ${JSON.stringify(ORIGIN + addressOf(call))},`,
      `    headers={"authorization": ${credential}},`,
      ')',
      'print(urlopen(request).read().decode())',
      '',
    ].join('\n'),
  )}`;
}
