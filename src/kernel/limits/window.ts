// One window of a rate limit: its usage, when it ends, and the consumptions that wait for the database.

/** The limits of a window, for anonymous and for authenticated callers. */
export interface Quota {
  anonymous: number;
  known: number;
  seconds: number;
  /** Callers may have a higher limit of their own, as installations of apps do. */
  mayBeRaised?: true;
}

export interface Counter {
  limit: number;
  used: number;
  remaining: number;
  /** Epoch milliseconds of the end of the window; on a full second unless the window is short. */
  resetAt: number;
}

/** How often usage counted in memory is saved. */
export const SAVE_MS = 1000;

/** Windows this short are not saved: they end before another node could load them. */
const SHORT_SECONDS = SAVE_MS / 1000;

/** How far apart the clocks of two nodes may be. */
export const CLOCK_SLACK_MS = 10_000;

export interface Window {
  readonly category: string;
  readonly who: string;
  readonly seconds: number;
  /** By all nodes, as of the last load; includes `unsaved`. */
  used: number;
  resetAt: number;
  /** Cost that this process has refused. */
  refused: number;
  /** Usage of this process that is not yet in the database. */
  unsaved: number;
  /** Draws that are counted in the database before they are granted. */
  waiting: PendingConsumption[];
  /** In the database it ends later than any window can, because a clock was set back. */
  endsTooLate: boolean;
}

export interface PendingConsumption {
  cost: number;
  limit: number;
  /** Undefined where too little is left. */
  settle(counter: Counter | undefined): void;
  fail(error: unknown): void;
  /** Repeats the consumption on the next window, where this one ended meanwhile. */
  again(): void;
}

export function newWindow(category: string, who: string, seconds: number, now: number): Window {
  const resetAt = latestReset(seconds, now);
  return {
    category,
    who,
    seconds,
    used: 0,
    resetAt,
    refused: 0,
    unsaved: 0,
    waiting: [],
    endsTooLate: false,
  };
}

/** The end of a window that is opened now, rounded down to a full second: waiting a whole window always suffices. */
function latestReset(seconds: number, now: number): number {
  return isSaved(seconds) ? Math.floor(now / 1000 + seconds) * 1000 : now + seconds * 1000;
}

export function isSaved(seconds: number): boolean {
  return seconds > SHORT_SECONDS;
}

/** Caps the end at one window length from now, so that a wrong clock cannot block callers for longer. */
export function setReset(window: Window, resetAt: number, now: number): void {
  const latest = latestReset(window.seconds, now);
  window.resetAt = Math.min(resetAt, latest);
  if (resetAt > latest + CLOCK_SLACK_MS) window.endsTooLate = true;
}

/** The share of the limit that falls between two saves, at least one. */
export function quotaPerSave(limit: number, seconds: number): number {
  return Math.max(1, Math.ceil((limit * SAVE_MS) / 1000 / seconds));
}

export function counterOf({ used, resetAt }: Window, limit: number): Counter {
  return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), resetAt };
}

/** For `Retry-After`: whole seconds until a call succeeds again, at least one. */
export function retrySeconds({ resetAt }: Pick<Counter, 'resetAt'>, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}
