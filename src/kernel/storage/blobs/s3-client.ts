// Calls to S3-compatible object storage: signed by AWS Signature Version 4, in headers or in the URL, retried after temporary faults, with clear messages for others.
import type { Agent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { Agent as HttpAgent } from '../../network/http-client.ts';
import { openHttpRequest } from '../../network/open-request.ts';
import type { S3Location } from './s3-location.ts';

export interface S3Settings extends S3Location, Omit<S3Keys, 'region'> {
  /** The delay before the first retry; it doubles each time. */
  retryMs?: number;
}

export interface S3Call {
  method: string;
  /** The object's name; absent for the bucket itself. */
  name?: string;
  query?: Record<string, string>;
  /** Names are in lower case. */
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** The SHA-256 of the body. */
  bodyHash?: string;
}

const ATTEMPTS = 5;
const RETRY_MS = 100;
/** How long the connection may be idle before the reply begins, and then while it is read: its reader may be slow. */
const REPLY_TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 300_000;

export class S3Client {
  readonly #settings: S3Settings;
  readonly #clock: Clock;
  readonly #agent: Agent;

  constructor(settings: S3Settings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#agent = new (isHttps(settings) ? HttpsAgent : HttpAgent)({ keepAlive: true });
  }

  /** The reply, if it is a success or `not found`, with an unread body. */
  async call(call: S3Call): Promise<IncomingMessage> {
    const { retryMs = RETRY_MS } = this.#settings;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === ATTEMPTS;
      try {
        const response = await this.#try(call);
        const status = response.statusCode!;
        if (status < 300 || status === 404) return response;
        const problem = await this.#explain(call, response);
        if (isLast || !mayPass(status)) throw problem;
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (isLast) throw away(this.#settings, error);
      }
      // Up to half of it less, so that calls that failed together are not retried together.
      await delay(retryMs * 2 ** (attempt - 1) * (1 - Math.random() / 2));
    }
  }

  /** The text of the reply; undefined if the object does not exist. */
  async text(call: S3Call): Promise<string | undefined> {
    const response = await this.call(call);
    const body = await text(response);
    return response.statusCode === 404 ? undefined : body;
  }

  presign(name: string, query: Record<string, string>, expiresSeconds: number): string {
    const url = this.#urlOf({ method: 'GET', name, query });
    return signUrl(url, this.#settings, expiresSeconds, this.#clock.now());
  }

  #try(call: S3Call): Promise<IncomingMessage> {
    const { method, headers, body, bodyHash = EMPTY_HASH } = call;
    const url = this.#urlOf(call);
    const signed = signHeaders(
      { method, url, bodyHash, ...(headers && { headers }) },
      this.#settings,
      this.#clock.now(),
    );
    const length = body === undefined ? {} : { 'content-length': body.byteLength };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method, agent: this.#agent, headers: { ...signed, ...length } };
    const request = openHttpRequest(url, options, {
      response(response) {
        request.setTimeout(READ_TIMEOUT_MS);
        resolve(response);
      },
      error: reject,
    });
    request.setTimeout(REPLY_TIMEOUT_MS, () => request.destroy(new Error('nothing came for too long')));
    request.end(body);
    return promise;
  }

  /** The bucket is part of the path: as part of the host name it would need a certificate and a DNS entry of its own. */
  #urlOf({ name, query = {} }: S3Call): URL {
    const { endpoint, bucket } = this.#settings;
    const path = [bucket, ...(name === undefined ? [] : name.split('/'))].map(encode).join('/');
    return new URL(`${endpoint}/${path}?${writeQuery(query)}`.replace(/\?$/, ''));
  }

  async #explain({ method }: S3Call, response: IncomingMessage): Promise<Failure> {
    const { bucket, endpoint } = this.#settings;
    const body = await text(response);
    const code = tagOf(body, 'Code') ?? String(response.statusCode);
    const advice = response.statusCode === 403 ? ': check the access keys and what they permit' : '';
    return new Failure(
      'unavailable',
      `The object storage at ${endpoint} refused ${method} in ${bucket} (${code})${advice}.`,
      { cause: new Error(tagOf(body, 'Message') ?? code) },
    );
  }
}

function isHttps({ endpoint }: S3Settings): boolean {
  return endpoint.startsWith('https:');
}

function mayPass(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function away({ endpoint }: S3Settings, cause: unknown): Failure {
  return new Failure(
    'unavailable',
    `The object storage at ${endpoint} does not answer: check that it runs and can be reached from here.`,
    { cause },
  );
}

/** The text of the first element with this name. */
export function tagOf(xml: string, name: string): string | undefined {
  const inner = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return inner?.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, word: keyof typeof ENTITIES) => ENTITIES[word]);
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

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

const EMPTY_HASH: string = createHash('sha256').digest('hex');

/** Percent-encodes everything but letters, digits and -_.~, as the signature requires. */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll(
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

function writeQuery(query: Record<string, string>): string {
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
  const signed = ['AWS4-HMAC-SHA256', at, scopeOf(at, keys), hashed].join('\n');
  const parts = [at.slice(0, 8), keys.region, 's3', 'aws4_request'];
  const key = parts.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${keys.secretKey}`);
  return hmac(key, signed).toString('hex');
}

function hmac(key: string | Buffer, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}
