// One window of a budget: what was used in it, when it ends, and what waits to be counted.

/** How much each kind of caller gets in a window. */
export interface Allowance {
  anonymous: number;
  known: number;
  seconds: number;
}

export interface Counter {
  limit: number;
  used: number;
  remaining: number;
  /** Epoch milliseconds, on a full second unless the window is short: the first one at which a call succeeds again. */
  resetAt: number;
}

/** How often what was counted in memory is saved. */
export const SAVE_MS = 1000;

/** Windows as short as this are over before another node or process could learn of them: they are not saved. */
const SHORT_SECONDS = SAVE_MS / 1000;

/** How far the clocks of two nodes may be apart. */
export const CLOCK_SLACK_MS = 10_000;

export interface Window {
  readonly category: string;
  readonly who: string;
  readonly seconds: number;
  /** By all nodes, as far as this one knows; `unsaved` included. */
  used: number;
  resetAt: number;
  /** What this process has counted and not yet told the database. */
  unsaved: number;
  /** Draws that are counted in the database before they are granted. */
  waiting: Draw[];
  /** Ends later in the database than any window can: the clock was set back since. */
  isAstray: boolean;
}

export interface Draw {
  cost: number;
  limit: number;
  /** Undefined where too little is left. */
  settle(counter: Counter | undefined): void;
  fail(error: unknown): void;
  /** On the window that comes after, where this one ended meanwhile. */
  again(): void;
}

export function newWindow(category: string, who: string, seconds: number, now: number): Window {
  const resetAt = latestReset(seconds, now);
  return { category, who, seconds, used: 0, resetAt, unsaved: 0, waiting: [], isAstray: false };
}

/** When a window that is opened now ends. Down to the full second: who waits for a whole window is never early. */
function latestReset(seconds: number, now: number): number {
  return isSaved(seconds) ? Math.floor(now / 1000 + seconds) * 1000 : now + seconds * 1000;
}

export function isSaved(seconds: number): boolean {
  return seconds > SHORT_SECONDS;
}

/** However the clock is set, no window is longer than its length from now on. */
export function setReset(window: Window, resetAt: number, now: number): void {
  const latest = latestReset(window.seconds, now);
  window.resetAt = Math.min(resetAt, latest);
  if (resetAt > latest + CLOCK_SLACK_MS) window.isAstray = true;
}

/** What the allowance gives in the time between two saves, at least one. */
export function intervalWorth(limit: number, seconds: number): number {
  return Math.max(1, Math.ceil((limit * SAVE_MS) / 1000 / seconds));
}

export function counterOf({ used, resetAt }: Window, limit: number): Counter {
  return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), resetAt };
}

/** For `Retry-After`: whole seconds until a call succeeds again, at least one. */
export function retrySeconds({ resetAt }: Pick<Counter, 'resetAt'>, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}
