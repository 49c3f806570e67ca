// A request: its id, how it is encoded into columns and decoded, and the cursor of a list of requests.
import { hash } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { isSlowToWrite, stringifyLarge } from '../../kernel/json/stringify.ts';
import type { HeadItem, NewRequest } from './model.ts';

/** Clients compute the same id: 15 letters and digits of a hash. */
export function requestIdOf(uniqueKey: string): string {
  return hash('sha256', uniqueKey, 'base64').replaceAll(/[+/=]/g, '').slice(0, 15);
}

export function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9]{15}$/.test(text);
}

/** A normalized URL, as crawlers compare them: no fragment, no campaign parameters, no trailing slash, a sorted query. */
export function uniqueKeyOf(url: string): string {
  const parsed = URL.parse(url.trim());
  if (parsed === null) return url;
  const { searchParams, protocol, host, pathname } = parsed;
  for (const name of new Set(searchParams.keys())) if (name.startsWith('utm_')) searchParams.delete(name);
  searchParams.sort();
  const query = searchParams.toString();
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}${query === '' ? '' : `?${query}`}`;
}

/** A request as it is stored: the fields of the head and the rest, each as JSON, which both engines store without loss. */
export interface RequestEntry {
  id: string;
  uniqueKey: string;
  forefront: boolean;
  handledAt: number | null;
  head: string;
  rest: string | null;
}

/** Like `toRequestEntry`, but a large request does not block other calls. */
export async function buildRequestEntry(request: NewRequest, forefront: boolean): Promise<RequestEntry> {
  const rest = restOf(request);
  return toRequestEntry(
    request,
    forefront,
    isSlowToWrite(rest) ? (await stringifyLarge(rest)).toString() : JSON.stringify(rest),
  );
}

export function toRequestEntry(
  request: NewRequest,
  forefront: boolean,
  rest: string = JSON.stringify(restOf(request)),
): RequestEntry {
  const { id, url, uniqueKey = url === undefined ? undefined : uniqueKeyOf(url) } = request;
  if (uniqueKey === undefined) throw invalid('A request needs a url or a uniqueKey');
  if (!isPlain(uniqueKey)) throw invalid('uniqueKey must be text without NUL and half characters');
  if (url !== undefined && !isPlain(url)) throw invalid('url must be text without NUL and half characters');
  const derived = requestIdOf(uniqueKey);
  if (id !== undefined && id !== derived) {
    throw new Failure('invalid', `The id "${id}" does not belong to the uniqueKey "${uniqueKey}"`, {
      code: 'request-id-invalid',
    });
  }
  const { method = 'GET', retryCount = 0, handledAt } = request;
  // Without a URL the uniqueKey becomes the URL, because clients expect one in every request.
  const head = { uniqueKey, url: url ?? uniqueKey, method, retryCount };
  return {
    id: derived,
    uniqueKey,
    forefront,
    handledAt: handledAt == null ? null : parseTime(handledAt),
    head: JSON.stringify(head),
    rest: rest === '{}' ? null : rest,
  };
}

/** Null means the same as absent: clients reject a null that they did not send. */
function restOf({ loadedUrl, payload, headers, userData, noRetry, errorMessages }: NewRequest): object {
  return {
    loadedUrl: loadedUrl ?? undefined,
    payload: payload ?? undefined,
    headers: headers ?? undefined,
    userData,
    noRetry: noRetry ?? undefined,
    errorMessages: errorMessages ?? undefined,
  };
}

/** Keys with different lone surrogates would be encoded to the same bytes, and so become the same request. */
function isPlain(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const ISO_TIME = /^[+-]?\d{4,6}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

function parseTime(text: string): number {
  const time = Date.parse(text);
  if (!ISO_TIME.test(text) || Number.isNaN(time))
    throw invalid('handledAt must be a date and time in ISO 8601');
  return time;
}

/** The columns of a request. */
export interface StoredRequest {
  id: string;
  head: string;
  rest: string | null;
  handled_at: number | null;
  lock_until: number;
  locked_by: string | null;
}

/** The JSON of a request. What is stored is JSON, and is spliced in without parsing it. */
export function requestText(stored: StoredRequest, now: number): string {
  const { id, head, rest, handled_at: handledAt, lock_until: lockUntil, locked_by: lockedBy } = stored;
  // Only in text without a URL, of release 0.1.0, is this missing: within a value its quotes would be escaped.
  const fields = head.includes('"url":') ? head : JSON.stringify({ ...toHeadItem(stored), id: undefined });
  let text = `{"id":"${id}",${fields.slice(1, -1)}`;
  if (handledAt !== null) text += `,"handledAt":"${toIso(handledAt)}"`;
  if (lockUntil > now) {
    text += `,"lockExpiresAt":"${toIso(lockUntil)}"`;
    if (lockedBy) text += `,"lockByClient":${JSON.stringify(lockedBy)}`;
  }
  return rest === null ? `${text}}` : `${text},${rest.slice(1)}`;
}

export function toHeadItem({ id, head }: Pick<StoredRequest, 'id' | 'head'>): HeadItem {
  const { uniqueKey, url = uniqueKey, method, retryCount } = JSON.parse(head) as StoredHead;
  return { id, uniqueKey, url, method, retryCount };
}

/** Release 0.1.0 stored requests without a URL. */
type StoredHead = Omit<HeadItem, 'id' | 'url'> & { url?: string };

export function toIso(time: number): string {
  return new Date(time).toISOString();
}

function invalid(message: string): Failure {
  return new Failure('invalid', message);
}

/** A page begins after an id, or after a place in the order of the queue. */
export type RequestCursor = { afterId: string } | { afterOrder: number };

export function encodeCursor(cursor: RequestCursor): string {
  const text = 'afterId' in cursor ? `id:${cursor.afterId}` : `order:${cursor.afterOrder}`;
  return Buffer.from(text).toString('base64url');
}

/** A cursor is valid only for the kind of list that returned it. */
export function decodeCursor(text: string, kind: 'id' | 'order'): RequestCursor {
  const [name, value = ''] = Buffer.from(text, 'base64url').toString('utf8').split(':', 2);
  if (name === kind && kind === 'id' && isRequestId(value)) return { afterId: value };
  if (name === kind && kind === 'order' && /^-?\d{1,15}$/.test(value)) return { afterOrder: Number(value) };
  throw new Failure('invalid', 'The cursor is not one that this list gave');
}
