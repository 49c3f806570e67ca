// The frontier of a crawl: the pages to visit, in memory, and in the request queue of the run, from which a crawl that was
// interrupted goes on. Crawlee's own queue makes several calls for each page, because several crawlers may share it; a run has one.
import { log, Request } from '@crawlee/cheerio';
import { Batcher, isRefusal } from './batcher.js';

/** @typedef {import('./queue-api.js').QueueApi} QueueApi */
/** @typedef {import('./queue-api.js').StoredRequest} StoredRequest */

/** A page that waits. Millions may, so there is no more in it than needed. */
/** @typedef {{ id: string, url: string, uniqueKey: string, depth: number, request?: Request }} Page */

/** The queue takes as many at once. */
const ADD_SIZE = 25;
const LANES = 4;
/** Handled pages that are not written yet. After a crash they are visited again. */
const MAX_UNWRITTEN = 50;
/** With fewer pages that are ready, a page waits until its links are, so that the crawler finds them at once. */
const FEW_READY = 50;

/** @typedef {import('@crawlee/cheerio').IRequestManager} IRequestManager */

/** @implements {IRequestManager} */
export class Frontier {
  /** @type {Pick<QueueApi, 'add' | 'update' | 'list'>} */
  #queue;
  /** @type {Batcher<Request>} */
  #adds;
  /** @type {Batcher<object>} */
  #updates;
  /** @type {Page[]} */
  #ready = [];
  /** The next of the ready ones: removing from the front of a long list is slow. */
  #next = 0;
  /** @type {Set<string>} */
  #seen = new Set();
  /** Calls that add pages and have not ended. */
  #adding = 0;
  /** @type {Set<Promise<void>>} Links that the queue does not have yet. */
  #newLinks = new Set();
  /** @type {WeakMap<Request, Promise<void>>} What has to be stored before a page counts as handled. */
  #results = new WeakMap();
  #visiting = 0;
  #handled = 0;
  /** @type {Set<Promise<void>>} */
  #unwritten = new Set();
  /** @type {Error | undefined} */
  #failure;

  /** @param {Pick<QueueApi, 'add' | 'update' | 'list'>} queue */
  constructor(queue) {
    this.#queue = queue;
    this.#adds = new Batcher((requests) => this.#add(requests), { size: ADD_SIZE, lanes: LANES });
    this.#updates = new Batcher(([request]) => queue.update(/** @type {object} */ (request)), {
      size: 1,
      lanes: LANES,
    });
  }

  /**
   * With what an interrupted crawl has left in the queue.
   * @param {Pick<QueueApi, 'add' | 'update' | 'list'>} queue
   */
  static async open(queue) {
    const frontier = new Frontier(queue);
    for await (const stored of queue.list()) frontier.#restore(stored);
    return frontier;
  }

  /** @param {StoredRequest} stored */
  #restore(stored) {
    this.#seen.add(stored.uniqueKey);
    if (stored.handledAt) this.#handled += 1;
    else this.#wait(new Request(/** @type {any} */ (stored)), stored.id);
  }

  /**
   * @param {Request} request
   * @param {string} id
   */
  #wait(request, id) {
    const { url, uniqueKey, crawlDepth: depth } = request;
    this.#ready.push({ id, url, uniqueKey, depth, ...(!isPlain(request) && { request }) });
  }

  /** @param {Request[]} requests */
  async #add(requests) {
    const added = await this.#queue.add(requests);
    const ids = new Map(added.map(({ uniqueKey, requestId }) => [uniqueKey, requestId]));
    for (const request of requests) this.#wait(request, /** @type {string} */ (ids.get(request.uniqueKey)));
  }

  /**
   * @param {AsyncIterable<any> | Iterable<any>} sources
   * @param {{ maxNewRequests?: number | undefined }} [options]
   */
  async addRequestsBatched(sources, { maxNewRequests = Infinity } = {}) {
    this.#adding += 1;
    try {
      return await this.#addAll(sources, maxNewRequests);
    } finally {
      this.#adding -= 1;
    }
  }

  /**
   * @param {AsyncIterable<any> | Iterable<any>} sources
   * @param {number} maxNewRequests
   */
  async #addAll(sources, maxNewRequests) {
    const added = [];
    const over = [];
    const adding = [];
    for await (const source of sources) {
      const request = requestOf(source);
      const { uniqueKey } = request;
      const isKnown = this.#seen.has(uniqueKey);
      if (!isKnown && adding.length >= maxNewRequests) {
        over.push(source);
        continue;
      }
      if (!isKnown) adding.push(this.#addNew(request));
      added.push({ requestId: '', uniqueKey, wasAlreadyPresent: isKnown, wasAlreadyHandled: false });
    }
    const all = Promise.all(adding);
    if (this.#ready.length - this.#next < FEW_READY) await all;
    return {
      addedRequests: added,
      waitForAllRequestsToBeAdded: all.then(() => []),
      requestsOverLimit: over,
    };
  }

  /**
   * Never rejects: what the queue refuses is left out, and other errors end the crawl.
   * @param {Request} request
   * @returns {Promise<void>}
   */
  #addNew(request) {
    this.#seen.add(request.uniqueKey);
    const adding = this.#adds
      .add(request)
      .catch((error) => {
        this.#seen.delete(request.uniqueKey);
        if (isRefusal(error)) log.warning(`${request.url} cannot be visited: ${error.message}`);
        else this.#failure ??= error;
      })
      .finally(() => this.#newLinks.delete(adding));
    this.#newLinks.add(adding);
    return adding;
  }

  /** @param {any} source */
  async addRequest(source) {
    const { addedRequests } = await this.addRequestsBatched([source]);
    return /** @type {import('@crawlee/cheerio').RequestQueueOperationInfo} */ (addedRequests[0]);
  }

  /** @returns {Promise<any>} */
  async fetchNextRequest() {
    if (this.#failure !== undefined) throw this.#failure;
    const page = this.#ready[this.#next];
    if (page === undefined) return null;
    this.#next += 1;
    if (this.#next > 1000 && this.#next * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#next);
      this.#next = 0;
    }
    this.#visiting += 1;
    const { id, url, uniqueKey, depth } = page;
    const request = page.request ?? new Request({ url, uniqueKey, crawlDepth: depth });
    request.id = id;
    return request;
  }

  /**
   * The page counts as handled in the queue when these are stored.
   * @param {Request} request
   * @param {Promise<void>} results
   */
  handleAfter(request, results) {
    this.#results.set(request, results);
    // It is awaited later.
    results.catch(() => {});
  }

  /** @param {Request} request */
  async markRequestHandled(request) {
    request.handledAt = new Date().toISOString();
    this.#visiting -= 1;
    this.#handled += 1;
    const stored = Promise.all([this.#results.get(request), ...this.#newLinks]);
    const writing = stored
      .then(() => this.#updates.add(request))
      .catch((error) => {
        this.#failure ??= /** @type {Error} */ (error);
      })
      .finally(() => this.#unwritten.delete(writing));
    this.#unwritten.add(writing);
    if (this.#unwritten.size > MAX_UNWRITTEN) await Promise.race(this.#unwritten);
  }

  /**
   * A page that is tried again, after the others.
   * @param {Request} request
   */
  async reclaimRequest(request) {
    this.#visiting -= 1;
    const { id = '', url, uniqueKey, crawlDepth: depth } = request;
    this.#ready.push({ id, url, uniqueKey, depth, request });
    await this.#updates.add(request);
    return { requestId: id, uniqueKey, wasAlreadyPresent: true, wasAlreadyHandled: false, forefront: false };
  }

  /** Resolves when everything is in the queue. */
  async flush() {
    await Promise.all(this.#unwritten);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async isEmpty() {
    return this.#ready.length === this.#next;
  }

  async isFinished() {
    return this.#ready.length === this.#next && this.#adding + this.#newLinks.size + this.#visiting === 0;
  }

  async handledCount() {
    return this.#handled;
  }

  getTotalCount() {
    return this.#seen.size;
  }

  getPendingCount() {
    return this.#seen.size - this.#handled;
  }

  async *[Symbol.asyncIterator]() {
    for (
      let request = await this.fetchNextRequest();
      request !== null;
      request = await this.fetchNextRequest()
    )
      yield request;
  }
}

/**
 * @param {any} source
 * @returns {Request}
 */
function requestOf(source) {
  if (source instanceof Request) return source;
  return new Request(typeof source === 'string' ? { url: source } : source);
}

/**
 * Whether the address and the depth are all there is to say.
 * @param {Request} request
 */
function isPlain({ method, payload, headers, userData, retryCount }) {
  return (
    method === 'GET' &&
    payload === undefined &&
    retryCount === 0 &&
    Object.keys(headers ?? {}).length === 0 &&
    Object.keys(userData).length === 0
  );
}
