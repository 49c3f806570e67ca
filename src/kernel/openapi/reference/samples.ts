// The same call as a command and as a program: with the address of this server, and a token from the environment.
import type { ApiProtocol } from '../../http/protocol.ts';
import { describedPath, parametersOf } from '../../http/path-template.ts';
import type { RouteShape } from '../../http/route.ts';
import type { Example } from '../examples.ts';

export interface SampleCall {
  method: string;
  url: string;
  /** Of the server. */
  publicUrl: string;
  /** Of the API, where calls choose one. */
  version?: string;
  /** What stands for the parameters of the path, by name, in their order. */
  values: Readonly<Record<string, string>>;
  headers: [name: string, value: string][];
  /** JSON, as it is sent. */
  body?: unknown;
}

/** What stands for a parameter, where its own name would say less. */
const VALUES: Readonly<Record<string, string>> = {
  projectKey: 'default',
  environmentKey: 'test',
  owner: 'admin',
  repo: 'demo-shop',
  username: 'admin',
  branch: 'main',
  ref: 'main',
};

/** In the headers of a sample. */
export const TOKEN = '$SIGNALBOX_TOKEN';

export function sampleValue(parameter: string): string {
  return VALUES[parameter] ?? parameter;
}

export function sampleCall(
  shape: RouteShape,
  protocol: ApiProtocol,
  { publicUrl, version }: { publicUrl: string; version: string },
  { request }: Example,
): SampleCall {
  const values = Object.fromEntries(parametersOf(shape.path).map((name) => [name, sampleValue(name)]));
  const path = Object.entries(values).reduce(
    (text, [name, one]) => text.replaceAll(`{${name}}`, encodeURIComponent(one)),
    describedPath(shape.path),
  );
  const [header, value = ''] = protocol.tokenHeader.split(/:\s*/);
  const [versionHeader] = protocol.versions.headers ?? [];
  return {
    method: shape.method,
    publicUrl,
    ...(versionHeader !== undefined && { version }),
    values,
    url: `${publicUrl}${protocol.prefixes[0]}${path}`,
    headers: [
      ...(shape.access === 'anyone' ? [] : [[header!, value.replace(/<[^>]*>/, TOKEN)] as [string, string]]),
      ...(versionHeader === undefined ? [] : [[versionHeader, version] as [string, string]]),
      ...(request === undefined ? [] : [['Content-Type', request.type] as [string, string]]),
    ],
    ...(request !== undefined && { body: request.body }),
  };
}

export function curlOf({ method, url, headers, body }: SampleCall): string {
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${quoted(bodyText(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** For shells: a quote ends the text, is written by itself, and begins it again. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, undefined, 2);
}

/** With the command line of the server, which knows the header of each API. JSON is what it sends by itself. */
export function commandOf({ method, url, publicUrl, version, headers, body }: SampleCall): string {
  const type = headers.find(([name]) => name === 'Content-Type')?.[1];
  const parts = [
    `signalbox api ${method === 'GET' ? '' : `${method} `}${quoted(url.slice(publicUrl.length))}`,
    `--url ${quoted(publicUrl)}`,
    ...(version === undefined ? [] : [`--api-version ${version}`]),
    ...(body === undefined || type === 'application/json' ? [] : [`-H ${quoted(`Content-Type: ${type!}`)}`]),
  ];
  const command = parts.join(' \\\n  ');
  // Nothing in it has a meaning to a shell.
  return body === undefined ? command : `${command} \\\n  --input - <<'END'\n${bodyText(body)}\nEND`;
}

export function fetchOf({ method, url, headers, body }: SampleCall): string {
  const lines = headers.map(([name, value]) => {
    const key = /^[A-Za-z]+$/.test(name) ? name.toLowerCase() : JSON.stringify(name.toLowerCase());
    const text = value.includes(TOKEN)
      ? `\`${value.replace(TOKEN, '${process.env.SIGNALBOX_TOKEN}')}\``
      : JSON.stringify(value);
    return `    ${key}: ${text},`;
  });
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    ...(lines.length === 0 ? [] : ['  headers: {', ...lines, '  },']),
    ...(body === undefined ? [] : [`  body: ${sentBody(body)},`]),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function sentBody(body: unknown): string {
  if (typeof body === 'string') return JSON.stringify(body);
  return `JSON.stringify(${bodyText(body).replaceAll('\n', '\n  ')})`;
}
