// Works on the queue of one hook by the policy of its API, in turns so short that other hooks do not wait.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { passCheckpoint } from '../jobs/checkpoint.ts';
import type { Due, DueHandler } from '../jobs/due-store.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Engine } from '../storage/engine.ts';
import {
  NO_BACKOFF,
  outcomeOf,
  type AttemptDelivery,
  type Backoff,
  type DeliveryPolicy,
  type DueDelivery,
} from './policy.ts';
import type { DeliveryNotices } from './delivery-notices.ts';
import type { QueueWatch } from './queue-watch.ts';
import { failedBefore, type Attempt, type WebhookSender } from './send.ts';
import { hookOfQueue } from './store-enqueue.ts';
import {
  listDue,
  resultStatements,
  settleHookQueue,
  showPhases,
  type DeliveryResult,
} from './store-queue.ts';
import { deletePendingDeliveries } from './store-removal.ts';
import type { HookRef } from './tables.ts';

export interface HookTurnSettings {
  engine: Engine;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  metrics: Metrics;
  /** By the name of the API. */
  policies: Record<string, DeliveryPolicy>;
  senders: Record<string, WebhookSender>;
  watch: QueueWatch;
  notices: DeliveryNotices;
  /** Fires when the process stops: nothing new is sent. */
  stopping: AbortSignal;
  /** Fires a little later: requests still in progress are aborted. */
  cutting: AbortSignal;
}

/** Results of independent deliveries are recorded together: so many, or what has ended after so many milliseconds. */
const RECORDED = 16;
const GATHER_MS = 20;
/** After this time the hook goes to the end of the worker's queue. */
const TURN_MS = 2_000;
/** How often a queue looks for retries that have become due, while earlier requests are still unanswered. */
const LOOK_MS = 1_000;
/** How many hooks of one account are worked on at the same time: one whose receivers all hang leaves room for others. */
const HOOKS_OF_OWNER = 64;
/** How long a hook waits when its account has too many. */
const CROWDED_MS = 500;

/** A delivery that was sent, or expired before. */
interface Ended {
  delivery: DueDelivery;
  at: number;
  attempt: Attempt | 'expired';
}

/** What turns of all hooks know of each other, in the memory of this process. */
interface Memory {
  /** By queue, where it outlives the turn. */
  backoffs: Map<string, Backoff>;
  /** How many hooks of an account are worked on. */
  hooksOf: Map<string, number>;
}

export function deliverHandler(settings: HookTurnSettings): DueHandler {
  const memory: Memory = { backoffs: new Map(), hooksOf: new Map() };
  return async (due, signal) => {
    const hook = hookOfQueue(due.id);
    const policy = settings.policies[hook.api];
    const sender = settings.senders[hook.api];
    if (policy === undefined || sender === undefined) throw new Error(`The API ${hook.api} has no webhooks.`);
    await new HookTurn({ settings, memory, due, signal, hook, policy, sender }).run();
  };
}

interface HookTurnContext {
  settings: HookTurnSettings;
  memory: Memory;
  due: Due;
  signal: AbortSignal;
  hook: HookRef;
  policy: DeliveryPolicy;
  sender: WebhookSender;
}

class HookTurn {
  readonly #context: HookTurnContext;
  readonly #end = performance.now() + TURN_MS;
  readonly #cut: AbortSignal;
  /** By the id of the delivery. */
  readonly #sending = new Map<string, { since: number; done: Promise<void> }>();
  /** Read, and not sent yet. */
  #waiting: DueDelivery[] = [];
  /** Not recorded yet. */
  readonly #ended: Ended[] = [];
  #backoff: Backoff;
  #payload: string;
  #owner: string | undefined;
  #isCrowded = false;
  /** Resolves when there is something to record. A new one for each wait: old waits must not pile up on a request that hangs. */
  #ready = Promise.withResolvers<void>();

  constructor(context: HookTurnContext) {
    const { settings, memory, due, signal } = context;
    this.#context = context;
    this.#cut = AbortSignal.any([signal, settings.cutting]);
    this.#backoff = memory.backoffs.get(due.id) ?? NO_BACKOFF;
    this.#payload = due.payload;
  }

  async run(): Promise<void> {
    try {
      for (;;) {
        this.#context.signal.throwIfAborted();
        if (this.#mayRead()) await this.#read();
        // Also what has ended while it read: before the queue is released, or it would be sent again.
        if (this.#hasResults()) await this.#record();
        else if (this.#sending.size > 0) await this.#waitForAnswers();
        else if (await this.#settle()) return;
      }
    } finally {
      if (this.#owner !== undefined) this.#countHook(this.#owner, -1);
      // What was sent is recorded even when the lease is lost.
      await this.#allAnswers();
      if (this.#ended.length > 0) await this.#record();
    }
  }

  #hasResults(): boolean {
    return this.#ended.length > 0 && (!this.#context.policy.order.isInBatches || this.#sending.size === 0);
  }

  #mayRead(): boolean {
    if (this.#waiting.length > 0 || this.#ended.length > 0) return false;
    const room = this.#context.policy.order.isInBatches ? 1 : this.#backoff.width;
    return this.#sending.size < room && this.#mayBegin();
  }

  /**
   * Beyond its time a hook goes on only while an old request keeps the slot anyway. After a pause of the whole process, such as
   * the sleep of its machine, another may have claimed the queue before the heartbeat tells.
   */
  #mayBegin(): boolean {
    const { settings, policy, due } = this.#context;
    if (settings.stopping.aborted || this.#cut.aborted || this.#isCrowded) return false;
    if (due.due_at <= settings.clock.now()) return false;
    if (this.#backoff.until > settings.clock.now()) return false;
    const now = performance.now();
    if (now < this.#end) return true;
    return (
      !policy.order.isInBatches && [...this.#sending.values()].some(({ since }) => now - since > TURN_MS)
    );
  }

  async #read(): Promise<void> {
    const { settings, memory, due, signal, hook, policy } = this.#context;
    const { engine, clock } = settings;
    const now = clock.now();
    const batch = await listDue(engine.db, hook, { now, sending: [...this.#sending.keys()] });
    const [first] = batch;
    if (first === undefined) return;
    const attempt = await policy.openHook(hook.hookId);
    if (attempt === undefined) {
      memory.backoffs.delete(due.id);
      return await deletePendingDeliveries(engine, { ...hook, until: now }, signal);
    }
    if (this.#owner === undefined && first.ownerId !== null) {
      this.#owner = first.ownerId;
      this.#isCrowded = (memory.hooksOf.get(this.#owner) ?? 0) >= HOOKS_OF_OWNER;
      this.#countHook(this.#owner, 1);
    }
    this.#waiting = batch;
    this.#startWaiting(attempt);
  }

  #countHook(owner: string, change: 1 | -1): void {
    const { hooksOf } = this.#context.memory;
    const hooks = (hooksOf.get(owner) ?? 0) + change;
    if (hooks === 0) hooksOf.delete(owner);
    else hooksOf.set(owner, hooks);
  }

  #startWaiting(attempt: AttemptDelivery): void {
    if (!this.#mayBegin()) this.#waiting = [];
    while (this.#waiting.length > 0 && this.#sending.size < this.#backoff.width)
      this.#start(this.#waiting.shift()!, attempt);
  }

  #start(delivery: DueDelivery, attempt: AttemptDelivery): void {
    const { settings, policy } = this.#context;
    const { isInBatches } = policy.order;
    const at = settings.clock.now();
    const done = this.#send(delivery, attempt).then((result) => {
      this.#sending.delete(delivery.id);
      if (result !== undefined) this.#ended.push({ delivery, at, attempt: result });
      // A timeout ends the batch early: the next request would probably time out, too.
      if (isInBatches && typeof result === 'object' && result.isTimeout) this.#waiting = [];
      this.#startWaiting(attempt);
      if (this.#sending.size === 0 || (!isInBatches && this.#ended.length >= RECORDED)) this.#ready.resolve();
      else if (!isInBatches) setTimeout(this.#ready.resolve, GATHER_MS);
    });
    this.#sending.set(delivery.id, { since: performance.now(), done });
  }

  async #send(delivery: DueDelivery, attempt: AttemptDelivery): Promise<Attempt | 'expired' | undefined> {
    const { settings, sender } = this.#context;
    if (delivery.expiresAt <= settings.clock.now()) return 'expired';
    try {
      return await attempt(delivery, (message) => sender.send(message, this.#cut));
    } catch (error) {
      return failedBefore(error as Error);
    }
  }

  async #allAnswers(): Promise<void> {
    await Promise.all([...this.#sending.values()].map(({ done }) => done));
  }

  /** Until there is something to record, or independent deliveries may have become due. */
  async #waitForAnswers(): Promise<void> {
    const { settings, due, policy } = this.#context;
    this.#ready = Promise.withResolvers<void>();
    const over = new AbortController();
    const waits: Promise<string | void>[] = [this.#ready.promise, aborted(this.#cut, over.signal)];
    // With no room, only an answer changes anything.
    const isLooking = !policy.order.isInBatches && this.#sending.size < this.#backoff.width;
    const watched = isLooking ? settings.watch.wait(due.id, this.#payload) : undefined;
    if (watched !== undefined)
      waits.push(
        watched.changed,
        delay(LOOK_MS, undefined, { signal: over.signal }).catch(() => {}),
      );
    const mark = await Promise.race(waits);
    over.abort();
    watched?.stop();
    // What was added up to this mark is found by the next look.
    if (typeof mark === 'string') this.#payload = mark;
    if (this.#cut.aborted) await this.#allAnswers();
  }

  /** Whether the queue is released. */
  async #settle(): Promise<boolean> {
    const { settings, due, hook } = this.#context;
    const earliest = settings.clock.now() + (this.#isCrowded ? CROWDED_MS : 0);
    const settled = await settleHookQueue(settings.engine.db, due, {
      hook,
      payload: this.#payload,
      notBefore: Math.max(earliest, this.#backoff.until),
    });
    if (typeof settled === 'string') return true;
    this.#payload = settled.payload;
    return false;
  }

  async #record(): Promise<void> {
    const { settings, hook, policy } = this.#context;
    const { engine, clock, metrics, notices } = settings;
    const ended = this.#ended.splice(0);
    passCheckpoint(`sent to ${hook.hookId}`);
    this.#learn(ended.flatMap(({ attempt }) => (attempt === 'expired' ? [] : [attempt])));
    const now = clock.now();
    const results = this.#resultsOf(ended, now);
    const finished = ended.flatMap(({ delivery, attempt }, index) => {
      const { state } = results[index]!;
      if (state === 'pending') return [];
      const hasSucceeded = state === 'delivered';
      return [{ ...delivery, hasSucceeded, ...(attempt !== 'expired' && { attempt }) }];
    });
    await engine.batch([
      ...resultStatements(engine.db, results, now),
      ...policy.statementsAfter(engine.db, finished, now),
    ]);
    notices.add(results.map(({ id }) => id));
    for (const { state } of results) metrics.countDelivery(hook.api, state === 'pending' ? 'retry' : state);
  }

  #learn(attempts: readonly Attempt[]): void {
    const { settings, memory, due, policy } = this.#context;
    this.#backoff = policy.order.nextBackoff(this.#backoff, attempts, settings.clock.now());
    const { failedBatches, until } = this.#backoff;
    if (failedBatches === 0 && until === 0) memory.backoffs.delete(due.id);
    else memory.backoffs.set(due.id, this.#backoff);
  }

  #resultsOf(ended: readonly Ended[], now: number): DeliveryResult[] {
    const { settings, policy } = this.#context;
    const { order, expiryError } = policy;
    const { random } = settings;
    // The same for a whole batch, so that it comes back in order.
    const shared = order.isInBatches ? random() : undefined;
    return ended.map(({ delivery, at, attempt }) => {
      const { id, attempts, attemptsBefore } = delivery;
      if (attempt === 'expired') return { id, state: 'failed', dueAt: null, error: expiryError };
      const { status, error, durationMs, response, details = null } = attempt;
      const phases = showPhases(attempt);
      const number = attempts + 1;
      const tried = { tries: number - attemptsBefore, attempt, waits: policy.waitsOf(delivery) };
      return {
        id,
        ...outcomeOf(tried, order, { now, random: shared ?? random() }),
        error,
        attempt: { number, at, status, error, duration_ms: durationMs, response, details, phases },
      };
    });
  }
}

/** Resolves when the first signal fires; the second ends the wait. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  return promise;
}
