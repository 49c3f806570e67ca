// Who listens on which channel inside this process.
import type { Log } from './engine.ts';

export type Hear = (payload: string | undefined) => void;

export class Listeners {
  readonly #byChannel = new Map<string, Set<Hear>>();
  readonly #log: Log | undefined;

  constructor(log?: Log) {
    this.#log = log;
  }

  /** Returns the way to stop. */
  add(channel: string, hear: Hear): () => void {
    const ears = this.#byChannel.get(channel) ?? new Set();
    // A function of its own, so that the same one may listen twice.
    const ear: Hear = (payload) => hear(payload);
    this.#byChannel.set(channel, ears.add(ear));
    return () => ears.delete(ear);
  }

  tell(channel: string, payload: string | undefined): void {
    for (const hear of this.#byChannel.get(channel) ?? []) {
      try {
        hear(payload);
      } catch (error) {
        this.#log?.error({ err: error, channel }, 'a listener has thrown');
      }
    }
  }

  /** Something has changed and nobody knows what. */
  tellAll(): void {
    for (const channel of this.#byChannel.keys()) this.tell(channel, undefined);
  }
}
