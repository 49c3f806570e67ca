// The description of a call: it is what is sent, and what the API drawer shows as a command.
import { PREFIXES, ROOT, type Api } from './server.ts';

/** Several texts repeat the parameter. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface Call {
  api: Api;
  /** GET where it is absent. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After the prefix of the API, each part encoded: see `path`. */
  path: string;
  query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Of the body, where it is not plain JSON: `application/json; domain-model=launchdarkly.semanticpatch`. */
  contentType?: string;
  /** Further headers, such as `if-match`. */
  headers?: Readonly<Record<string, string>>;
  /** Fields of the body that are secret: sent, but neither logged nor shown. */
  secretFields?: readonly string[];
  /** One of many that only ask for what is new: the API drawer lists the last of them alone. */
  isPolled?: boolean;
  /** The page shows it as done: it is made also where the page is left before the answer. For small bodies. */
  outlivesPage?: boolean;
}

/** What takes the place of a secret. */
const HIDDEN = '…';

/** As it may be shown: without its secrets. */
export function withoutSecrets({ secretFields, ...call }: Call): Call {
  if (secretFields === undefined || typeof call.body !== 'object' || call.body === null) return call;
  const hidden = Object.entries(call.body).map(([name, value]) => [
    name,
    secretFields.includes(name) ? HIDDEN : value,
  ]);
  return { ...call, body: Object.fromEntries(hidden) as unknown };
}

/** Encodes what is put into a path: path`/tokens/${id}`. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]!) + part);
}

/** Path and query on this server, below its root. */
export function addressOf({ api, path: rest, query = {} }: Call): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') for (const one of value) search.append(name, one);
    else if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const words = search.toString();
  return PREFIXES[api] + rest + (words === '' ? '' : `?${words}`);
}

export function urlOf(call: Call): string {
  return ROOT + addressOf(call);
}

/** Of every call of the API, beside the credential. */
export function headersOf({ api, body, contentType, headers }: Call): Record<string, string> {
  return {
    ...(api === 'host' && { accept: 'application/vnd.github+json' }),
    ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
    ...headers,
  };
}
