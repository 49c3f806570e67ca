// Who listens on which channel inside this process.
import type { Log } from './engine.ts';

export type Listener = (payload: string | undefined) => unknown;

export class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>();
  readonly #log: Log | undefined;

  constructor(log?: Log) {
    this.#log = log;
  }

  /** Returns the way to stop. */
  add(channel: string, hear: Listener): () => void {
    const ears = this.#byChannel.get(channel) ?? new Set();
    // A function of its own, so that the same one may listen twice.
    const ear: Listener = (payload) => hear(payload);
    this.#byChannel.set(channel, ears.add(ear));
    return () => ears.delete(ear);
  }

  notify(channel: string, payload: string | undefined): void {
    for (const hear of this.#byChannel.get(channel) ?? []) {
      // One that fails, at once or later, must not end the process, nor keep the others from hearing.
      new Promise((resolve) => resolve(hear(payload))).catch((error: unknown) => {
        this.#log?.error({ err: error, channel }, 'a listener has failed');
      });
    }
  }

  /** Something has changed and nobody knows what. */
  notifyAll(): void {
    for (const channel of this.#byChannel.keys()) this.notify(channel, undefined);
  }
}
