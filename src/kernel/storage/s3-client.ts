// Calls to S3-compatible object storage: signed, with patience for faults that pass, and words for those that do not.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { S3Location } from './s3-location.ts';
import { EMPTY_HASH, encode, signHeaders, signUrl, writeQuery, type S3Keys } from './s3-sign.ts';

export interface S3Settings extends S3Location, Omit<S3Keys, 'region'> {
  /** The first wait before a call is tried again; each one after is twice as long. */
  retryMs?: number;
}

export interface S3Call {
  method: string;
  /** The object's name; none for the bucket itself. */
  name?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** The SHA-256 of the body. */
  bodyHash?: string;
}

const ATTEMPTS = 5;
const RETRY_MS = 100;
/** For one try, until its reply begins: long enough for a part on a slow line. */
const TRY_MS = 60_000;

export class S3Client {
  readonly #settings: S3Settings;
  readonly #clock: Clock;

  constructor(settings: S3Settings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The reply when it is a good one or `not found`, with its body still to be read. */
  async call(call: S3Call): Promise<Response> {
    const { retryMs = RETRY_MS } = this.#settings;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === ATTEMPTS;
      try {
        const response = await this.#try(call);
        if (response.ok || response.status === 404) return response;
        const problem = await this.#explain(call, response);
        if (isLast || !mayPass(response.status)) throw problem;
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (isLast) throw away(this.#settings, error);
      }
      // Up to half of it less, so that what failed together does not come back together.
      await delay(retryMs * 2 ** (attempt - 1) * (1 - Math.random() / 2));
    }
  }

  /** The reply's text; undefined when there is nothing of this name. */
  async text(call: S3Call): Promise<string | undefined> {
    const response = await this.call(call);
    const text = await response.text();
    return response.status === 404 ? undefined : text;
  }

  presign(name: string, query: Record<string, string>, expiresSeconds: number): string {
    const url = this.#urlOf({ method: 'GET', name, query });
    return signUrl(url, this.#settings, expiresSeconds, this.#clock.now());
  }

  async #try(call: S3Call): Promise<Response> {
    const { method, headers = {}, body, bodyHash = EMPTY_HASH } = call;
    const url = this.#urlOf(call);
    const impatience = new AbortController();
    const timer = setTimeout(() => impatience.abort(new Error('the reply took too long')), TRY_MS);
    try {
      return await fetch(url, {
        method,
        headers: { ...headers, ...signHeaders({ method, url, bodyHash }, this.#settings, this.#clock.now()) },
        redirect: 'manual',
        signal: impatience.signal,
        ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** The bucket stands in the path: names in the host would need a certificate and a DNS entry for each. */
  #urlOf({ name, query = {} }: S3Call): URL {
    const { endpoint, bucket } = this.#settings;
    const path = [bucket, ...(name === undefined ? [] : name.split('/'))].map(encode).join('/');
    return new URL(`${endpoint}/${path}?${writeQuery(query)}`.replace(/\?$/, ''));
  }

  async #explain({ method }: S3Call, response: Response): Promise<Failure> {
    const { bucket, endpoint } = this.#settings;
    const text = await response.text();
    const code = tagOf(text, 'Code') ?? String(response.status);
    const advice = response.status === 403 ? ': check the access keys and what they permit' : '';
    return new Failure(
      'unavailable',
      `The object storage at ${endpoint} refused ${method} in ${bucket} (${code})${advice}.`,
      { cause: new Error(tagOf(text, 'Message') ?? code) },
    );
  }
}

function mayPass(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

export function away({ endpoint }: S3Settings, cause: unknown): Failure {
  return new Failure(
    'unavailable',
    `The object storage at ${endpoint} does not answer: check that it runs and can be reached from here.`,
    { cause },
  );
}

/** The text of the first element of this name. */
export function tagOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, word: keyof typeof ENTITIES) => ENTITIES[word]);
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
