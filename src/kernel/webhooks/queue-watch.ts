// Notices deliveries that are added to queues whose earlier ones are still being sent, with one query for all of them.
import { setTimeout as delay } from 'node:timers/promises';
import { DUE } from '../jobs/due-store.ts';
import type { Engine, Log } from '../storage/engine.ts';
import { listQueueMarks } from './store-queue.ts';

/** Events come in bursts: one query for each burst. */
const PAUSE_MS = 10;

interface Waiting {
  mark: string;
  wake(mark: string): void;
}

export class QueueWatch {
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #waiting = new Map<string, Waiting>();
  #looking: Promise<void> | undefined;
  #isStale = false;
  #unlisten = () => {};

  constructor(engine: Engine, log: Log) {
    this.#engine = engine;
    this.#log = log;
  }

  async open(): Promise<this> {
    this.#unlisten = await this.#engine.listen(DUE, () => this.#look());
    return this;
  }

  /** Resolves with the new mark of the queue, when it is another one. `stop` ends the wait. */
  wait(queueId: string, mark: string): { changed: Promise<string>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(queueId, { mark, wake: resolve });
    // A notification may have come while no queue was waiting.
    if (this.#isStale) this.#look();
    return { changed: promise, stop: () => void this.#waiting.delete(queueId) };
  }

  #look(): void {
    this.#isStale = true;
    if (this.#waiting.size === 0) return;
    this.#looking ??= this.#readMarks().finally(() => (this.#looking = undefined));
  }

  async #readMarks(): Promise<void> {
    while (this.#isStale && this.#waiting.size > 0) {
      await delay(PAUSE_MS);
      // The next queue that waits looks again.
      if (this.#waiting.size === 0) return;
      this.#isStale = false;
      try {
        const marks = await listQueueMarks(this.#engine.db, [...this.#waiting.keys()]);
        for (const [id, { mark, wake }] of this.#waiting) {
          const now = marks.get(id) ?? mark;
          if (now !== mark) wake(now);
        }
      } catch (error) {
        this.#log.warn({ err: error }, 'cannot look for new dispatches');
      }
    }
  }

  async close(): Promise<void> {
    this.#unlisten();
    await this.#looking;
  }
}
