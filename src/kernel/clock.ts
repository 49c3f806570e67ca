// The source of time, passed as a parameter so that tests can move it.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
