// Signs calls to S3-compatible object storage: AWS Signature Version 4, in headers or in the URL.
import { createHash, createHmac } from 'node:crypto';

export interface S3Keys {
  region: string;
  accessKey: string;
  secretKey: string;
  /** Comes with temporary keys. */
  sessionToken?: string;
}

export interface S3Request {
  method: string;
  /** Path and query must be encoded by `encode`. */
  url: URL;
  /** The SHA-256 of the body, in hex. */
  bodyHash: string;
  /** Further headers to send and sign. */
  headers?: Record<string, string>;
}

export const EMPTY_HASH: string = createHash('sha256').digest('hex');

/** Percent-encodes everything but letters, digits and -_.~, as the signature requires. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns the headers of a signed request. */
export function signHeaders(
  { method, url, bodyHash, headers: others = {} }: S3Request,
  keys: S3Keys,
  now: number,
): Record<string, string> {
  const at = timeOf(now);
  const headers: Record<string, string> = {
    ...others,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': at,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const scope = scopeOf(at, keys);
  const signature = signatureOf({ method, url, headers, bodyHash }, keys, at);
  const signed = Object.keys(headers).sort().join(';');
  const { host: _, ...sent } = headers; // the HTTP client adds it
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKey}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** A URL that anyone can use until it expires. */
export function signUrl(url: URL, keys: S3Keys, expiresSeconds: number, now: number): string {
  const at = timeOf(now);
  const query: Record<string, string> = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${keys.accessKey}/${scopeOf(at, keys)}`,
    'X-Amz-Date': at,
    'X-Amz-Expires': String(expiresSeconds),
    'X-Amz-SignedHeaders': 'host',
    ...(keys.sessionToken !== undefined && { 'X-Amz-Security-Token': keys.sessionToken }),
  };
  const signed = new URL(url);
  signed.search = [url.search.slice(1), writeQuery(query)].filter((part) => part !== '').join('&');
  const headers = { host: url.host };
  const signature = signatureOf(
    { method: 'GET', url: signed, headers, bodyHash: 'UNSIGNED-PAYLOAD' },
    keys,
    at,
  );
  return `${signed.href}&X-Amz-Signature=${signature}`;
}

export function writeQuery(query: Record<string, string>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** `20261115T045131Z` */
function timeOf(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function scopeOf(at: string, { region }: S3Keys): string {
  return `${at.slice(0, 8)}/${region}/s3/aws4_request`;
}

function signatureOf(
  { method, url, headers, bodyHash }: S3Request & { headers: Record<string, string> },
  keys: S3Keys,
  at: string,
): string {
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1).split('&').sort().join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', at, scopeOf(at, keys), hashed].join('\n');
  const parts = [at.slice(0, 8), keys.region, 's3', 'aws4_request'];
  const key = parts.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${keys.secretKey}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
