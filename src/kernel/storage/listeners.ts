// The listeners of this process, by channel.
import type { Log } from './engine.ts';

export type Listener = (payload: string | undefined) => unknown;

export class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>();
  readonly #log: Log | undefined;

  constructor(log?: Log) {
    this.#log = log;
  }

  /** Returns a function that removes the listener. */
  add(channel: string, listener: Listener): () => void {
    const listeners = this.#byChannel.get(channel) ?? new Set();
    // A new function, so that the same listener may be added twice.
    const added: Listener = (payload) => listener(payload);
    this.#byChannel.set(channel, listeners.add(added));
    return () => listeners.delete(added);
  }

  notify(channel: string, payload: string | undefined): void {
    for (const listener of this.#byChannel.get(channel) ?? []) {
      // A listener that fails, synchronously or not, must not end the process or stop the others.
      new Promise((resolve) => resolve(listener(payload))).catch((error: unknown) => {
        this.#log?.error({ err: error, channel }, 'a listener has failed');
      });
    }
  }

  /** For changes of unknown content. */
  notifyAll(): void {
    for (const channel of this.#byChannel.keys()) this.notify(channel, undefined);
  }
}
