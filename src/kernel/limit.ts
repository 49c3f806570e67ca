// Rate limits: fixed windows per caller and category, anchored at first use; counted in memory, shared through the database.
import { accountOf, type Caller } from './identity/caller.ts';
import { deletePastWindows, loadWindows, saveWindows, type SavedWindow } from './limit-store.ts';
import type { Db } from './storage/tables.ts';

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

/** Whose budget: a caller's own, or one that all share (that of a single store, say). */
export type Spender = Caller | 'everyone';

const EVERYONE = '*';

/** Windows as short as this are over before another node or process could learn of them: they are not saved. */
const SHORT_SECONDS = 2;

/** How far the clocks of two nodes may be apart. */
const CLOCK_SLACK_MS = 10_000;

interface Window {
  used: number;
  resetAt: number;
  /** What this process has counted and not yet told the database. */
  unsaved: number;
}

interface Budget {
  allowance: Allowance;
  /** By who spends. Looking up by strings that exist anyway costs less than making one of two parts. */
  windows: Map<string, Window>;
}

export class Limits {
  readonly enabled: boolean;
  readonly allowances: Readonly<Record<string, Allowance>>;
  readonly #budgets = new Map<string, Budget>();
  #syncedAt = 0;

  /** Allowances by category: `host.core`. A category may carry a scope after a colon (`flags.route:getTokens`), counted apart. */
  constructor({ enabled, allowances }: { enabled: boolean; allowances: Record<string, Allowance> }) {
    this.enabled = enabled;
    this.allowances = allowances;
  }

  /** Counts `cost` against the budget. Undefined when that has too little left; it is then unchanged. */
  take(category: string, spender: Spender, now: number, cost = 1): Counter | undefined {
    const { limit, window } = this.#find(category, spender, now);
    if (window.used + cost > limit) return undefined;
    window.used += cost;
    window.unsaved += cost;
    return counterOf(window, limit);
  }

  /** Reads without counting. It opens the window, so that two readings with no call between are the same. */
  peek(category: string, spender: Spender, now: number): Counter {
    const { limit, window } = this.#find(category, spender, now);
    return counterOf(window, limit);
  }

  refund(category: string, spender: Spender, now: number, cost = 1): Counter {
    const { limit, window } = this.#find(category, spender, now);
    const back = Math.min(cost, window.used);
    window.used -= back;
    window.unsaved -= back;
    return counterOf(window, limit);
  }

  /** What the budget gives in a window. */
  limitOf(category: string, spender: Spender): number {
    return limitIn(this.#budget(category), spender);
  }

  #find(category: string, spender: Spender, now: number): { limit: number; window: Window } {
    const budget = this.#budget(category);
    return { limit: limitIn(budget, spender), window: openWindow(budget, whoIs(spender), now) };
  }

  #budget(category: string): Budget {
    const budget = this.#findBudget(category);
    if (budget === undefined) throw new Error(`No allowance for ${category}`);
    return budget;
  }

  #findBudget(category: string): Budget | undefined {
    const known = this.#budgets.get(category);
    if (known !== undefined) return known;
    const colon = category.indexOf(':');
    const allowance = this.allowances[colon === -1 ? category : category.slice(0, colon)];
    if (allowance === undefined) return undefined;
    const budget = { allowance, windows: new Map<string, Window>() };
    this.#budgets.set(category, budget);
    return budget;
  }

  /** Takes over what an earlier process or another node has spent, as far as it was saved after `since`. */
  async load(db: Db, now: number, since = 0): Promise<void> {
    for (const { category, who, used, resetAt } of await loadWindows(db, now, since)) {
      // A category of another release may have no allowance here.
      const windows = this.#findBudget(category)?.windows;
      const known = windows?.get(who);
      // One that was opened while the database answered comes after the one that was read.
      if (known !== undefined && known.resetAt > resetAt) continue;
      const unsaved = known?.unsaved ?? 0;
      windows?.set(who, { used: used + unsaved, resetAt, unsaved });
    }
  }

  /** Saves what was counted here and learns what was counted elsewhere. */
  async sync(db: Db, now: number): Promise<void> {
    const since = this.#syncedAt - CLOCK_SLACK_MS;
    this.#syncedAt = now;
    await this.save(db, now);
    if (this.#budgets.size > 0) await this.load(db, now, since);
  }

  /** Adds what was counted here to the shared windows, takes over their sums, and forgets windows that are past. */
  async save(db: Db, now: number): Promise<void> {
    const changed = new Map<SavedWindow, Window>();
    let isAnyPast = false;
    for (const [category, { windows, allowance }] of this.#budgets) {
      for (const [who, window] of windows) {
        if (window.resetAt <= now) isAnyPast = windows.delete(who);
        else if (window.unsaved !== 0 && allowance.seconds > SHORT_SECONDS) {
          changed.set({ category, who, used: window.unsaved, resetAt: window.resetAt }, window);
        }
      }
      if (windows.size === 0) this.#budgets.delete(category);
    }
    await saveWindows(db, [...changed.keys()], now, (saved, sum) => {
      const window = changed.get(saved)!;
      // Calls went on while the database answered: they stay unsaved.
      window.unsaved -= saved.used;
      window.used = sum.used + window.unsaved;
      window.resetAt = sum.resetAt;
    });
    if (isAnyPast) await deletePastWindows(db, now);
  }
}

function whoIs(spender: Spender): string {
  if (spender === 'everyone') return EVERYONE;
  return spender.kind === 'anonymous' ? spender.address : accountOf(spender).id;
}

function limitIn({ allowance: { known, anonymous } }: Budget, spender: Spender): number {
  return spender !== 'everyone' && spender.kind === 'anonymous' ? anonymous : known;
}

function openWindow({ windows, allowance: { seconds } }: Budget, who: string, now: number): Window {
  const known = windows.get(who);
  if (known !== undefined && known.resetAt > now) return known;
  // Down to the full second: who waits for a whole window is never early.
  const resetAt = seconds > SHORT_SECONDS ? Math.floor(now / 1000 + seconds) * 1000 : now + seconds * 1000;
  const opened = { used: 0, resetAt, unsaved: 0 };
  windows.set(who, opened);
  return opened;
}

/** For `Retry-After`: whole seconds until a call succeeds again, at least one. */
export function retrySeconds({ resetAt }: Pick<Counter, 'resetAt'>, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}

function counterOf({ used, resetAt }: Window, limit: number): Counter {
  return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), resetAt };
}
