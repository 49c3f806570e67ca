// Announces deliveries that were attempted, a few times a second for all hooks of the process: each alone would cost a statement.
import type { Engine } from '../storage/engine.ts';

/** The channel; its payload has ids of deliveries, with spaces between them. */
export const DELIVERIES = 'deliveries';

const GATHER_MS = 100;
/** A notification has at most 8,000 bytes. What is above it is not announced: listeners show less at such a rate. */
const MOST_ANNOUNCED = 150;

export class DeliveryNotices {
  readonly #engine: Pick<Engine, 'notify'>;
  readonly #ids = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(engine: Pick<Engine, 'notify'>) {
    this.#engine = engine;
  }

  add(ids: Iterable<string>): void {
    for (const id of ids) if (this.#ids.size < MOST_ANNOUNCED) this.#ids.add(id);
    this.#timer ??= setTimeout(() => void this.#announce(), GATHER_MS).unref();
  }

  /** Announces the rest. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#announce();
  }

  async #announce(): Promise<void> {
    this.#timer = undefined;
    const ids = [...this.#ids];
    this.#ids.clear();
    if (ids.length > 0) await this.#engine.notify(DELIVERIES, ids.join(' '));
  }
}

export function deliveriesIn(payload: string): string[] {
  return payload.split(' ');
}
