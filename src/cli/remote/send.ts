// Calls of a server by the commands: always to the server that the token is for, with what it answers as an error where it refuses.
import { Failure } from '../../kernel/failure.ts';
import { RELEASE } from '../../app/release.ts';
import { messageOf } from '../command-errors.ts';
import { printable } from '../terminal-text.ts';
import type { RemoteServer } from './remote-server.ts';

interface SentCall {
  method?: string;
  /** From the root of the server, with its query. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Long enough for a call that waits for a run. */
const TIMEOUT_MS = 150_000;

/** A token goes to its own server alone: a path like `//elsewhere` would name another one. */
function urlOfCall({ url }: Pick<RemoteServer, 'url'>, path: string): URL {
  const base = new URL(url);
  const found = URL.parse(path.startsWith('/') ? `${url}${path}` : path);
  if (found === null || found.origin !== base.origin || found.username !== '' || found.password !== '')
    throw new Failure(
      'invalid',
      `"${printable(path)}" is not a path on ${url}: write it like /api/v2/projects.`,
    );
  return found;
}

export async function send(server: Pick<RemoteServer, 'url' | 'token'>, call: SentCall): Promise<Response> {
  const { method = 'GET', path, headers = {}, body } = call;
  const url = urlOfCall(server, path);
  // Until the reply begins: what is downloaded then may take as long as it does.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error('no answer in time')), TIMEOUT_MS);
  try {
    return await fetch(url, {
      method,
      headers: { authorization: `Bearer ${server.token}`, 'user-agent': `signalbox/${RELEASE}`, ...headers },
      ...(body !== undefined && { body }),
      signal: timeout.signal,
    });
  } catch (error) {
    throw new Failure('unavailable', `${server.url} cannot be reached: ${messageOf(error)}.`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of a reply that is no error. */
export async function sendForJson<Reply>(server: RemoteServer, call: SentCall): Promise<Reply> {
  const { body, ...rest } = call;
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...call.headers };
  const answer = await send(server, { ...rest, headers, ...(body !== undefined && { body }) });
  const text = await answer.text();
  // A deletion has nothing to say.
  if (answer.ok) return (text === '' ? undefined : parse(text, server)) as Reply;
  if (answer.status === 401)
    throw new Failure('unauthenticated', `${server.url} rejects the token: give another.`);
  throw new Failure(
    answer.status === 404 ? 'not-found' : 'conflict',
    `${server.url} answers ${answer.status}: ${reasonOf(text)}`,
  );
}

/** Page by page, of the Signalbox API. The path has a query already. */
export async function* listPages<Item>(server: RemoteServer, path: string): AsyncGenerator<Item, void, void> {
  for (let cursor = ''; ;) {
    const page = await sendForJson<{ items: Item[]; next?: string }>(server, { path: `${path}${cursor}` });
    yield* page.items;
    if (page.next === undefined) return;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}

function parse(text: string, { url }: RemoteServer): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Failure(
      'unavailable',
      `${url} is not a Signalbox server: it answers without JSON. Check --url.`,
    );
  }
}

/** Each API words its errors in its own way. */
function reasonOf(text: string): string {
  try {
    const body = JSON.parse(text) as { message?: unknown; detail?: unknown; error?: { message?: unknown } };
    const message = body.message ?? body.detail ?? body.error?.message;
    if (typeof message === 'string') return printable(message);
  } catch {
    // Not an answer of this server.
  }
  return 'it gives no reason.';
}
