// Where the time of an attempt went: finding the address, connecting, TLS, and waiting for the first byte of the answer.
import type { Duplex } from 'node:stream';
import { guarded } from '../network/streams.ts';

/** In milliseconds, one after the other. What did not happen, or was not reached, is absent. */
export interface AttemptPhases {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
  /** The connection was there already, so that none of the first three happened. */
  isReused?: boolean;
}

/** Events of a socket, in their order, and what they end. */
const STEPS = [
  ['lookup', 'dnsMs'],
  ['connect', 'connectMs'],
  ['secureConnect', 'tlsMs'],
] as const;

export class PhaseClock {
  readonly phases: AttemptPhases = {};
  #last = performance.now();

  end(phase: Exclude<keyof AttemptPhases, 'isReused'>): void {
    const now = performance.now();
    this.phases[phase] = Math.round(now - this.#last);
    this.#last = now;
  }

  /** Of a socket that may still be connecting. */
  watch(socket: Duplex, isReused: boolean): void {
    if (isReused) {
      this.phases.isReused = true;
      return;
    }
    for (const [event, phase] of STEPS)
      socket.once(
        event,
        guarded(
          () => this.end(phase),
          () => {},
        ),
      );
  }
}
