// Receivers that behave well or badly, and hooks that point to them.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { openReceiver } from '../../../test/webhook-receiver.ts';
import { dueMigrations } from '../jobs/due-store.ts';
import type { Worker } from '../jobs/due-worker.ts';
import { Metrics } from '../observability/metrics.ts';
import type { Engine } from '../storage/engine.ts';
import { guard } from '../network/guard.ts';
import { IN_ORDER, type DeliveryPolicy, type DueDelivery } from './policy.ts';
import { startDelivering, type DeliverySettings } from './start-delivery.ts';
import { enqueueDeliveries } from './store-enqueue.ts';
import { webhookMigrations } from './tables.ts';

export const engineMigrations = [...dueMigrations, ...webhookMigrations];

export interface ReceivedRequest {
  /** The id by which receivers recognise a repetition. */
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: ReceivedRequest[];
}

/** `answer` gets the number of calls so far, this one included. */
export async function startReceiver(
  t: Pick<TestContext, 'after'>,
  answer: (response: ServerResponse, count: number) => void = (response) => response.end(),
): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const { url, close } = await openReceiver((response, { headers, body }) => {
    received.push({ id: String(headers['x-signalbox-delivery']), headers, body });
    answer(response, received.length);
  });
  t.after(close);
  return { url: `${url}/`, received };
}

/** Never answers. */
export const hang = (): void => {};

export const fail = (response: ServerResponse): void => void response.writeHead(500).end('out of luck');

export interface TestTarget {
  url: string;
  headersFor?(delivery: DueDelivery): Record<string, string>;
}

/** Deliveries in order, with their ids in a header. */
export function policyInOrder(
  targetOf: (hookId: string) => TestTarget | undefined,
  more: Partial<DeliveryPolicy> = {},
): DeliveryPolicy {
  return {
    order: IN_ORDER,
    answerMs: 10_000,
    keptBytes: 4096,
    expiryError: 'It was given up after 24 hours.',
    waitsOf: () => [1_000, 10_000, 60_000],
    async openHook(hookId) {
      const target = targetOf(hookId);
      if (target === undefined) return undefined;
      return async (delivery, send) => {
        const headers = { ...target.headersFor?.(delivery), 'X-Signalbox-Delivery': delivery.id };
        return await send({ url: target.url, headers, body: delivery.body });
      };
    },
    statementsAfter: () => [],
    ...more,
  };
}

export interface Hookup {
  /** Hooks by id; deleting one turns it off. */
  targets: Map<string, TestTarget>;
  addHook(id: string, url: string): void;
  /** Enqueues the events, ten to a change, for all hooks unless some are named. */
  enqueue(eventIds: string[], hookIds?: string[]): Promise<void>;
  /** Started workers are stopped after the test. */
  start(settings?: Partial<DeliverySettings>, policy?: Partial<DeliveryPolicy>): Promise<Worker>;
}

export function hookUp(t: Pick<TestContext, 'after'>, engine: Engine, owner = 'worker'): Hookup {
  const targets = new Map<string, TestTarget>();
  return {
    targets,
    addHook: (id, url) => void targets.set(id, { url }),
    async enqueue(eventIds, hookIds = [...targets.keys()]) {
      for (let start = 0; start < eventIds.length; start += 10) {
        const outgoing = eventIds.slice(start, start + 10).flatMap((eventId) => {
          const body = JSON.stringify({ event: eventId });
          return hookIds.map((hookId) => ({ api: 'test', hookId, eventId, body }));
        });
        await engine.db.transaction().execute((tx) => enqueueDeliveries(tx, IN_ORDER, outgoing, Date.now()));
      }
    },
    async start(settings = {}, policy = {}) {
      const worker = await startDelivering({
        engine,
        owner,
        clock: { now: Date.now },
        random: () => 0,
        log: { warn: () => {}, error: () => {} },
        metrics: new Metrics('1.2.3'),
        guard: guard({ allowPrivate: true }),
        release: '1.2.3',
        policies: { test: policyInOrder((hookId) => targets.get(hookId), policy) },
        stopWaitMs: 0,
        ...settings,
      });
      t.after(() => worker.stop());
      return worker;
    },
  };
}

/** How many deliveries of a hook are in each state. */
export async function countStates({ db }: Engine, hookId: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('deliveries')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('hook_id', '=', hookId)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
