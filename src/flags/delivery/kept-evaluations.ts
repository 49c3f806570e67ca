// The results of contexts that are asked for again and again, such as the one that all anonymous visitors of an app share.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    keptEvaluations: KeptEvaluations;
  }
}

interface KeptEvaluation {
  etag: string;
  json: string;
}

/** In characters, of results and what they follow from. */
const MAX_KEPT = 8 * 1024 * 1024;
const MAX_RESULTS = 256 * 1024;
/** In characters, of contexts that were asked for once. */
const MAX_SEEN = 512 * 1024;

/** By everything that the results follow from, with the revision of the environment: nothing has to be dropped. */
export class KeptEvaluations {
  readonly #kept = new BoundedCache<string, KeptEvaluation & { weight: number }>({
    max: MAX_KEPT,
    weigh: ({ weight }) => weight,
  });
  /** Asked for once, with their lengths: most contexts are those of one person, who does not ask again. */
  readonly #seen = new BoundedCache<string, number>({ max: MAX_SEEN, weigh: (length) => length });

  find(state: string): KeptEvaluation | undefined {
    return this.#kept.get(state);
  }

  /** Keeps what is asked for the second time. */
  note(state: string, { etag, json }: KeptEvaluation): void {
    if (this.#seen.get(state) === undefined) {
      this.#seen.set(state, state.length);
      return;
    }
    this.#seen.delete(state);
    const weight = state.length + json.length;
    if (weight <= MAX_RESULTS) this.#kept.set(state, { etag, json, weight });
  }
}
