// Checks items against the schema of their dataset: on the event loop in slices, and in a worker thread where that takes long.
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { TaskStopped } from '../../kernel/threads/task-error.ts';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { Item } from '../export/input.ts';
import { packItems } from './chunks.ts';
import { InvalidItems, loadChecker } from './invalid-items.ts';
import { runWithin } from './item-schema.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    itemChecker: ItemChecker;
  }
}

const THREAD = threadFile('item-schema-thread', import.meta.url);

/** How long one slice of items may take on the event loop, before the worker thread takes over. */
const MAX_SLICE_MS = 30;
/** How many slices may time out because other processes had the CPU. */
const MAX_STOPS = 3;
/** The largest push with an honest schema takes as much. */
const MAX_CPU_MS = 1000;
const MAX_MEGABYTES = 512;
const IDLE_MS = 10_000;
/** So that no call waits for minutes. */
const MAX_WAITING = 50;
/** How long a schema that exceeded the limits is refused without another try. */
const REFUSED_MS = 60_000;

/** What the thread gets. */
export interface ItemCheckTask {
  fields: Item;
  texts: string[];
}

export type ItemCheckResult = Pick<InvalidItems, 'count' | 'first'>;

export class ItemChecker {
  readonly #threads = new ThreadRunner<ItemCheckTask, ItemCheckResult>(THREAD, {
    cpuMs: MAX_CPU_MS,
    megabytes: MAX_MEGABYTES,
    idleMs: IDLE_MS,
    maxWaiting: MAX_WAITING,
    refusal: 'Too many items wait to be checked against schemas; try again.',
  });
  /** Schemas that took too long on the event loop: from then on the worker thread checks them. */
  readonly #slow = new WeakSet<object>();
  /** Schemas that exceeded the limits of the thread, and until when they are refused. */
  readonly #refused = new WeakMap<object, number>();

  /** Throws with a list of the invalid items. Yields to other calls between slices. */
  async check(items: readonly Item[], schema: Record<string, unknown> | null): Promise<void> {
    const fields = schema?.['fields'];
    if (!isObject(fields) || Object.keys(fields).length === 0) return;
    const invalid = await this.#findInvalid(items, fields);
    if (invalid.count === 0) return;
    throw new Failure(
      'invalid',
      `Schema validation failed for ${invalid.count} of ${items.length} items; nothing was stored`,
      { code: 'schema-validation-error', data: { invalidItems: invalid.first } },
    );
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #findInvalid(items: readonly Item[], fields: Item): Promise<ItemCheckResult> {
    loadChecker();
    const slice = new TimeSlice();
    const invalid = new InvalidItems(fields);
    let position = 0;
    let stops = 0;
    while (position < items.length && stops < MAX_STOPS && !this.#slow.has(fields)) {
      const isInTime = runWithin(MAX_SLICE_MS, () => {
        do {
          invalid.check(items[position]!, position);
          position += 1;
        } while (position < items.length && !slice.isOver);
      });
      if (isInTime === false) this.#slow.add(fields);
      else if (isInTime === undefined) stops += 1;
      await slice.yieldToEventLoop();
    }
    return position < items.length ? await this.#checkInThread(items, fields) : invalid;
  }

  async #checkInThread(items: readonly Item[], fields: Item): Promise<ItemCheckResult> {
    this.#checkRefused(fields);
    try {
      return await this.#threads.ask(async () => {
        // It may have been refused while it waited.
        this.#checkRefused(fields);
        const { chunks } = await packItems(items, new Set());
        return { fields, texts: chunks.map(({ text }) => text) };
      });
    } catch (error) {
      // A stack without room, too: the schema refers to itself.
      if (!(error instanceof TaskStopped)) throw error;
      this.#refused.set(fields, performance.now() + REFUSED_MS);
      throw tooLong(error);
    }
  }

  #checkRefused(fields: Item): void {
    if (performance.now() < (this.#refused.get(fields) ?? 0)) throw tooLong();
  }
}

function tooLong(cause?: unknown): Failure {
  return new Failure('invalid', 'It takes too long to check the items against the schema: simplify it', {
    code: 'schema-validation-error',
    cause,
  });
}
