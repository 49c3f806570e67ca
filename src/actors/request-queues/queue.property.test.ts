// Random operations on a queue, on both engines, compared with a simple model.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import type { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import { lockHead, extendLock, releaseAllLocks, releaseLock } from './store-locks.ts';
import type { Registration } from './model.ts';
import { requestIdOf, toRequestEntry, toHeadItem } from './request.ts';
import { listRequests, listHead } from './store-reads.ts';
import { openQueues, type Queues } from './queues.ts';
import { insertQueue, findQueueWithUsage } from './store.ts';
import { insertRequests, upsertRequest, deleteRequests } from './store-writes.ts';

interface Item {
  place: number;
  isHandled: boolean;
  lockUntil: number;
  lockedBy: string | undefined;
}

type Step =
  | { do: 'add'; keys: string[]; forefront: boolean; isHandled: boolean }
  | { do: 'change'; key: string; forefront: boolean; isHandled: boolean }
  | { do: 'remove'; keys: string[] }
  | { do: 'lock'; client: string; limit: number; forMs: number }
  | { do: 'prolong'; key: string; client: string; forefront: boolean; forMs: number }
  | { do: 'release'; key: string; client: string; forefront: boolean }
  | { do: 'releaseAll'; client: string }
  | { do: 'wait'; ms: number };

/** A simple model of a queue. */
class PlainQueue {
  readonly items = new Map<string, Item>();
  now = 1000;
  #last = 0;

  run(step: Step): unknown {
    switch (step.do) {
      case 'add':
        return step.keys.map((key) => this.#add(key, step));
      case 'change':
        return this.#change(step.key, step);
      case 'remove':
        return step.keys
          .filter((key, index) => step.keys.indexOf(key) === index && this.items.delete(key))
          .toSorted();
      case 'lock': {
        const picked = this.head().slice(0, step.limit);
        for (const key of picked) {
          Object.assign(this.items.get(key)!, { lockUntil: this.now + step.forMs, lockedBy: step.client });
        }
        return picked;
      }
      case 'prolong': {
        const item = this.items.get(step.key);
        if (item === undefined) return 'not-found';
        if (item.isHandled || item.lockedBy !== step.client) return 'conflict';
        item.lockUntil = this.now + step.forMs;
        if (step.forefront) item.place = this.#next(true);
        return 'done';
      }
      case 'release': {
        const item = this.items.get(step.key);
        if (item === undefined) return 'not-found';
        if (!item.isHandled && item.lockedBy === step.client) {
          Object.assign(item, { lockUntil: 0, lockedBy: undefined, place: this.#next(step.forefront) });
        } else if (item.lockUntil > this.now) return 'conflict';
        return 'done';
      }
      case 'releaseAll': {
        const held = [...this.items.values()].filter(
          (item) => item.lockedBy === step.client && item.lockUntil > this.now,
        );
        for (const item of held) Object.assign(item, { lockUntil: 0, lockedBy: undefined });
        return held.length;
      }
      default:
        this.now += step.ms;
        return undefined;
    }
  }

  head(): string[] {
    return [...this.items]
      .filter(([, item]) => !item.isHandled && item.lockUntil <= this.now)
      .sort(([, a], [, b]) => a.place - b.place)
      .map(([key]) => key);
  }

  locked(): string[] {
    return [...this.items].filter(([, item]) => item.lockUntil > this.now).map(([key]) => key);
  }

  handled(): string[] {
    return [...this.items].filter(([, item]) => item.isHandled).map(([key]) => key);
  }

  #next(forefront: boolean): number {
    this.#last += 1;
    return forefront ? -this.#last : this.#last;
  }

  #registration(key: string): Registration {
    const known = this.items.get(key);
    return {
      requestId: requestIdOf(key),
      wasAlreadyPresent: known !== undefined,
      wasAlreadyHandled: known?.isHandled === true,
    };
  }

  #add(key: string, { forefront, isHandled }: { forefront: boolean; isHandled: boolean }): Registration {
    const result = this.#registration(key);
    const fresh = { place: this.#next(forefront), isHandled, lockUntil: 0, lockedBy: undefined };
    if (!result.wasAlreadyPresent) this.items.set(key, fresh);
    return result;
  }

  #change(key: string, { forefront, isHandled }: { forefront: boolean; isHandled: boolean }): Registration {
    const result = this.#registration(key);
    const lock = isHandled ? undefined : this.items.get(key);
    this.items.set(key, {
      place: this.#next(forefront),
      isHandled,
      lockUntil: lock?.lockUntil ?? 0,
      lockedBy: lock?.lockedBy,
    });
    return result;
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const keys = fc.array(key, { minLength: 1, maxLength: 5 });
const client = fc.constantFrom('one', 'two', '');
const forefront = fc.boolean();
const isHandled = fc.boolean();
const forMs = fc.integer({ min: 1, max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('add'), keys, forefront, isHandled: fc.constant(false) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add'), keys, forefront, isHandled }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change'), key, forefront, isHandled }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), keys }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('lock'), client, limit: fc.integer({ min: 1, max: 4 }), forMs }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('prolong'), key, client, forefront, forMs }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release'), key, client, forefront }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('releaseAll'), client }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 1, max: 15 }) }) },
);

let lastQueue = 0;
let lastEntry = 0;

onEachEngine((testEngine) => {
  let engine: Engine;
  let queues: Queues;
  before(async () => {
    engine = await testEngine.open(requestQueueMigrations);
    queues = openQueues(engine);
  });

  async function run(queueId: string, what: Step, now: number): Promise<unknown> {
    const entryOf = (uniqueKey: string, from: { forefront: boolean; isHandled: boolean }) =>
      toRequestEntry(
        {
          uniqueKey,
          ...(from.isHandled && { handledAt: '2026-01-01T00:00:00Z' }),
          // Various sizes, with escaped and multi-byte characters.
          ...(++lastEntry % 4 > 0 && { userData: { text: 'ä"\n\ud800😀'.repeat(lastEntry % 7) } }),
        },
        from.forefront,
      );
    const summaries = (error: unknown) => (error as Failure).kind;
    switch (what.do) {
      case 'add':
        return await insertRequests(
          queues,
          queueId,
          what.keys.map((uniqueKey) => entryOf(uniqueKey, what)),
          now,
        );
      case 'change':
        return await upsertRequest(queues, queueId, entryOf(what.key, what), now);
      case 'remove': {
        const removed = await deleteRequests(queues, queueId, what.keys.map(requestIdOf), now);
        return removed.map((row) => toHeadItem(row).uniqueKey).toSorted();
      }
      case 'lock': {
        const order = { limit: what.limit, client: what.client, until: now + what.forMs, now };
        const { items } = await lockHead(engine, queueId, order);
        return items.map((row) => toHeadItem(row).uniqueKey);
      }
      case 'prolong': {
        const holder = { queueId, id: requestIdOf(what.key), client: what.client, now };
        const until = now + what.forMs;
        return await extendLock(engine, holder, { until, forefront: what.forefront }).then(
          () => 'done',
          summaries,
        );
      }
      case 'release': {
        const holder = { queueId, id: requestIdOf(what.key), client: what.client, now };
        return await releaseLock(engine, holder, what.forefront).then(() => 'done', summaries);
      }
      case 'releaseAll':
        return await releaseAllLocks(engine, queueId, what.client, now);
      default:
        return undefined;
    }
  }

  test('a queue behaves like the model under random operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const queueId = `random-${++lastQueue}`;
        await insertQueue(engine.db, queueId, 0);
        const plain = new PlainQueue();
        for (const what of steps) {
          assert.deepEqual(await run(queueId, what, plain.now), plain.run(what), JSON.stringify(what));
        }
        const { now } = plain;
        const head = await listHead(engine, queueId, 100, now);
        assert.deepEqual(
          head.map((row) => toHeadItem(row).uniqueKey),
          plain.head(),
        );
        const { total, handled, bytes } = await findQueueWithUsage(queues, queueId);
        assert.deepEqual([total, handled], [plain.items.size, plain.handled().length]);
        const all = await listRequests(engine, queueId, { limit: 100 }, now);
        const sizes = all.rows.map(
          ({ head: text, rest }) => Buffer.byteLength(text) + Buffer.byteLength(rest ?? ''),
        );
        assert.equal(
          bytes,
          sizes.reduce((sum, size) => sum + size, 0),
        );
        const { rows } = await listRequests(engine, queueId, { limit: 100, filter: ['locked'] }, now);
        assert.deepEqual(rows.map((row) => toHeadItem(row).uniqueKey).toSorted(), plain.locked().toSorted());
      }),
      { numRuns: 100 },
    );
  });
});
