// The calls of a request queue that a crawl needs, without the checks that a general client makes for each request.
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_TRIES = 8;
const FIRST_WAIT_MS = 250;
const PAGE_SIZE = 1000;
/** The queue knows its clients by their keys. */
const CLIENT_KEY = 'web-crawler';

/** @typedef {Record<string, any> & { id: string, url: string, uniqueKey: string, handledAt?: string | null }} StoredRequest */

class CallError extends Error {
  /**
   * @param {number} statusCode
   * @param {string} message
   */
  constructor(statusCode, message) {
    super(message);
    this.statusCode = statusCode;
  }
}

export class QueueApi {
  #url;
  #headers;

  /** @param {{ baseUrl: string, token: string, queueId: string }} place The base URL ends with the version. */
  constructor({ baseUrl, token, queueId }) {
    this.#url = `${baseUrl}/request-queues/${queueId}`;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  /**
   * @param {object[]} requests At most 25.
   * @returns {Promise<{ requestId: string, uniqueKey: string, wasAlreadyHandled: boolean }[]>}
   */
  async add(requests) {
    const added = [];
    let rest = requests;
    for (let tries = 1; ; tries += 1) {
      const { processedRequests, unprocessedRequests } = await this.#call('POST', '/requests/batch', rest);
      added.push(...processedRequests);
      if (unprocessedRequests.length === 0) return added;
      if (tries === MAX_TRIES) throw new Error(`The queue does not take ${unprocessedRequests[0].url}.`);
      await sleep(waitAfter(tries));
      const keys = new Set(
        unprocessedRequests.map((/** @type {StoredRequest} */ { uniqueKey }) => uniqueKey),
      );
      rest = rest.filter((request) => keys.has(/** @type {StoredRequest} */ (request).uniqueKey));
    }
  }

  /** @param {{ id?: string | undefined }} request */
  async update(request) {
    await this.#call('PUT', `/requests/${request.id}`, request);
  }

  /** @returns {AsyncGenerator<StoredRequest, void>} All requests, handled ones too. */
  async *list() {
    let start = '';
    for (;;) {
      const { items, nextCursor } = await this.#call('GET', `/requests?limit=${PAGE_SIZE}${start}`);
      yield* items;
      if (items.length < PAGE_SIZE) return;
      const place = nextCursor === undefined ? `exclusiveStartId=${items.at(-1).id}` : `cursor=${nextCursor}`;
      start = `&${place}`;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async #call(method, path, body) {
    const url = `${this.#url}${path}${path.includes('?') ? '&' : '?'}clientKey=${CLIENT_KEY}`;
    const init = {
      method,
      headers: this.#headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(url, init).catch((/** @type {Error} */ error) => error);
      if (!(answer instanceof Error) && answer.ok) return /** @type {any} */ (await answer.json()).data;
      const status = answer instanceof Error ? 0 : answer.status;
      const text =
        answer instanceof Error
          ? `${answer.message} ${/** @type {Error | undefined} */ (answer.cause)?.message ?? ''}`
          : await answer.text();
      const mayRecover = status === 0 || status === 429 || status >= 500;
      if (!mayRecover || tries === MAX_TRIES)
        throw new CallError(status, `${method} ${path}: ${status} ${text}`);
      await sleep(waitAfter(tries));
    }
  }
}

/** @param {number} tries */
function waitAfter(tries) {
  return FIRST_WAIT_MS * 2 ** (tries - 1);
}
