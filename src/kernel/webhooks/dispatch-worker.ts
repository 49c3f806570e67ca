// Works on the queue of one hook whose deliveries are independent: none waits for another to be answered or retried.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { DispatchPort } from '../http/protocol.ts';
import type { Due, DueHandler } from '../jobs/due-store.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Engine } from '../storage/engine.ts';
import { failedBefore, type Attempt, type WebhookSender } from './send.ts';
import type { QueueWatch } from './queue-watch.ts';
import { dispatchOutcome } from './dispatch-policy.ts';
import { hookOfQueue } from './store-queues.ts';
import { listDueDispatches, type DueDispatch } from './store-dispatches.ts';
import { resultStatements, settleHookQueue, type DeliveryResult } from './store-hook-queue.ts';

export interface DispatchWorkerSettings {
  engine: Engine;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  metrics: Metrics;
  /** By the name of the API. */
  ports: Record<string, DispatchPort>;
  senders: Record<string, WebhookSender>;
  watch: QueueWatch;
  /** Fires when the process stops: nothing new is sent. */
  stopping: AbortSignal;
  /** Fires a little later: requests still in progress are aborted. */
  cutting: AbortSignal;
}

/** Concurrent requests per hook; fewer while its receiver lets all of them time out. */
const WIDTH = 8;
const NARROW = 2;
/** Dispatches read together, and the characters of their bodies. */
const ROUND = 32;
const ROUND_LENGTH = 1024 * 1024;
/** Results are recorded together: so many, or what has ended after so many milliseconds. */
const RECORDED = 16;
const GATHER_MS = 20;
/** After this time the hook goes to the end of the worker's queue, unless a request keeps its slot anyway. */
const TURN_MS = 2_000;
/** How often a queue looks for retries that have become due, while earlier requests are still unanswered. */
const LOOK_MS = 1_000;
/** How many hooks of one account are worked on at the same time: one whose receivers all hang leaves room for others. */
const HOOKS_OF_OWNER = 64;
/** How long a hook waits when its account has too many. */
const CROWDED_MS = 500;

interface Sending {
  since: number;
  done: Promise<void>;
}

interface Ended {
  dispatch: DueDispatch;
  at: number;
  attempt: Attempt | 'expired';
}

export function dispatchHandler(settings: DispatchWorkerSettings): DueHandler {
  const { engine, clock, random, metrics, ports, senders, watch, stopping, cutting } = settings;
  const { db } = engine;
  const hooksOf = new Map<string, number>();

  async function takeTurn(due: Due, signal: AbortSignal): Promise<void> {
    const hook = hookOfQueue(due.id);
    const port = ports[hook.api];
    const sender = senders[hook.api];
    if (port === undefined || sender === undefined) throw new Error(`The API ${hook.api} has no dispatches.`);
    const cut = AbortSignal.any([signal, cutting]);
    const sending = new Map<string, Sending>();
    /** Read, and not sent yet. */
    let waiting: DueDispatch[] = [];
    const ended: Ended[] = [];
    const end = performance.now() + TURN_MS;
    let width = WIDTH;
    let { payload } = due;
    let owner: string | undefined;
    let isCrowded = false;

    /** Resolves when there is something to record. A new one for each wait: old waits must not pile up on a request that hangs. */
    let ready = Promise.withResolvers<void>();
    const start = (dispatch: DueDispatch): void => {
      const at = clock.now();
      const done = sendOne(port, sender, dispatch, cut).then((attempt) => {
        sending.delete(dispatch.id);
        if (attempt !== undefined) ended.push({ dispatch, at, attempt });
        startWaiting();
        if (ended.length >= RECORDED || sending.size === 0) ready.resolve();
        else setTimeout(ready.resolve, GATHER_MS);
      });
      sending.set(dispatch.id, { since: performance.now(), done });
    };
    const startWaiting = (): void => {
      if (!mayBegin()) waiting = [];
      while (waiting.length > 0 && sending.size < width) start(waiting.shift()!);
    };

    /** Beyond its time a hook goes on only while an old request keeps the slot anyway. */
    const mayBegin = (): boolean => {
      if (stopping.aborted || cut.aborted || isCrowded) return false;
      const now = performance.now();
      return now < end || [...sending.values()].some(({ since }) => now - since > TURN_MS);
    };

    const count = (change: 1 | -1): void => {
      const hooks = (hooksOf.get(owner!) ?? 0) + change;
      if (hooks === 0) hooksOf.delete(owner!);
      else hooksOf.set(owner!, hooks);
    };

    try {
      for (;;) {
        signal.throwIfAborted();
        if (ended.length > 0) {
          const some = ended.splice(0);
          const isHanging = some.every(({ attempt }) => attempt !== 'expired' && attempt.isTimeout);
          width = isHanging ? NARROW : WIDTH;
          await record(hook.api, port, some);
          continue;
        }
        if (waiting.length === 0 && sending.size < width && mayBegin()) {
          waiting = await listDueDispatches(db, hook, {
            now: clock.now(),
            limit: ROUND,
            length: ROUND_LENGTH,
            sending: [...sending.keys()],
          });
          if (owner === undefined && waiting[0] !== undefined) {
            owner = waiting[0].ownerId;
            isCrowded = (hooksOf.get(owner) ?? 0) >= HOOKS_OF_OWNER;
            count(1);
          }
          startWaiting();
        }
        // While it looked: what has ended is recorded before the queue is released, or it would be sent again.
        if (ended.length > 0) continue;
        if (sending.size > 0) {
          const watched = watch.wait(due.id, payload);
          const over = new AbortController();
          ready = Promise.withResolvers<void>();
          const mark = await Promise.race([
            ready.promise,
            // With no room, only an answer changes anything.
            ...(sending.size < width
              ? [watched.changed, delay(LOOK_MS, undefined, { signal: over.signal }).catch(() => {})]
              : []),
            aborted(cut, over.signal),
          ]);
          over.abort();
          watched.stop();
          // What was added up to this mark is found by the next look.
          if (typeof mark === 'string') payload = mark;
          if (cut.aborted) await Promise.all([...sending.values()].map(({ done }) => done));
          else continue;
          if (ended.length > 0) continue;
        }
        const notBefore = clock.now() + (isCrowded ? CROWDED_MS : 0);
        const settled = await settleHookQueue(db, due, { hook, payload, notBefore });
        if (typeof settled === 'string') return;
        payload = settled.payload;
      }
    } finally {
      if (owner !== undefined) count(-1);
      // What was sent is recorded even when the lease is lost.
      await Promise.all([...sending.values()].map(({ done }) => done));
      if (ended.length > 0) await record(hook.api, port, ended.splice(0));
    }
  }

  async function sendOne(
    port: DispatchPort,
    sender: WebhookSender,
    dispatch: DueDispatch,
    cut: AbortSignal,
  ): Promise<Attempt | 'expired' | undefined> {
    if (dispatch.expiresAt <= clock.now()) return 'expired';
    try {
      return await port.attempt(dispatch, (message) => sender.send(message, cut));
    } catch (error) {
      return failedBefore(error as Error);
    }
  }

  async function record(api: string, port: DispatchPort, ended: readonly Ended[]): Promise<void> {
    const now = clock.now();
    const results = ended.map(({ dispatch, at, attempt }): DeliveryResult => {
      const { id } = dispatch;
      if (attempt === 'expired') return { id, state: 'failed', dueAt: null, error: 'It was given up.' };
      const { status, error, durationMs, response, details = null } = attempt;
      const number = dispatch.attempts + 1;
      const waits = port.waitsOf(dispatch);
      return {
        id,
        ...dispatchOutcome({ number, attempt, waits }, now, random()),
        error,
        attempt: { number, at, status, error, duration_ms: durationMs, response, details },
      };
    });
    const finished = ended
      .map(({ dispatch, attempt }, index) => ({ dispatch, attempt, state: results[index]!.state }))
      .filter(({ state }) => state !== 'pending');
    await engine.batch([
      ...resultStatements(db, results, now),
      ...port.statementsAfter(
        db,
        finished.map(({ dispatch, attempt, state }) => ({
          ...dispatch,
          hasSucceeded: state === 'delivered',
          ...(attempt !== 'expired' && { attempt }),
        })),
        now,
      ),
    ]);
    for (const { state } of results) metrics.countDelivery(api, state === 'pending' ? 'retry' : state);
  }

  return takeTurn;
}

/** Resolves when the first signal fires; the second ends the wait. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  return promise;
}
