// ETags: computes them, stores content with its ETag, and compares with what a caller has.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface StoredBytes {
  bytes: Buffer;
  etag: string;
}

export function storeBytes(text: string): StoredBytes {
  return { bytes: Buffer.from(text), etag: etagOf(text) };
}

export function etagOf(text: string | Uint8Array): string {
  return `"${hash('sha1', text, 'hex')}"`;
}

/** Texts longer than this are not worth their memory. */
const MAX_REMEMBERED = 16 * 1024;

/** Remembers the ETag of the last short text: callers who poll get the same one over and over. */
export class LastEtag {
  #text = '';
  #etag = etagOf('');

  of(text: string | Uint8Array): string {
    if (typeof text !== 'string' || text.length > MAX_REMEMBERED) return etagOf(text);
    if (text !== this.#text) {
      this.#etag = etagOf(text);
      this.#text = text;
    }
    return this.#etag;
  }
}

/** Whether a caller who sends this `If-None-Match` has the content already. */
export function matchesEtag(wanted: string | undefined, etag: string): boolean {
  if (wanted === undefined) return false;
  return wanted === '*' || wanted.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Whether a conditional read is answered 304. If-Modified-Since counts only without If-None-Match (RFC 9110, 13.1.3). */
export function isNotModified(
  asked: IncomingHttpHeaders,
  etag: string,
  lastModified: string | undefined,
): boolean {
  const wanted = asked['if-none-match'];
  if (wanted !== undefined) return matchesEtag(wanted, etag);
  const since = asked['if-modified-since'];
  if (since === undefined || lastModified === undefined) return false;
  return Date.parse(lastModified) <= Date.parse(since);
}
