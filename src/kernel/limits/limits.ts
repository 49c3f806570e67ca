// Rate limits: fixed windows per caller and category that begin at first use; counted in memory, shared through the database.
import type { Clock } from '../clock.ts';
import type { Caller } from '../identity/caller.ts';
import { NetworkWindows } from './crowded-networks.ts';
import { isNetwork, networkOf } from './client-network.ts';
import { deletePastWindows, loadWindows, saveWindows, type SavedWindow } from './store.ts';
import {
  CLOCK_SLACK_MS,
  counterOf,
  allowancePerSave,
  isSaved,
  newWindow,
  setReset,
  type Allowance,
  type Counter,
  type PendingDraw,
  type Window,
} from './window.ts';
import type { Db } from '../storage/tables.ts';

/** Whose budget: a caller's own, or one that all callers share (that of a single store, for example). */
export type Spender = Caller | 'everyone';

const EVERYONE = '*';

interface Budget {
  category: string;
  allowance: Allowance;
  /** By spender. Two lookups by existing strings cost less than one by a concatenated key. */
  windows: Map<string, Window>;
}

export interface LimitStore {
  db: Db;
  clock: Clock;
  /** Whether other nodes count in the same database. */
  isShared: boolean;
}

export interface LimitOptions {
  enabled: boolean;
  /** By category: `host.core`. A category may carry a scope after a colon (`flags.route:getTokens`), counted apart. */
  allowances: Record<string, Allowance>;
  /** Where windows are saved; without it they are in memory only. */
  store?: LimitStore;
  /** The status of calls over a limit, for dialects that leave it to the operator. */
  exceededStatus?: number;
  /** For `NetworkWindows`. */
  maxNetworks?: number;
}

export class Limits {
  readonly enabled: boolean;
  readonly allowances: Readonly<Record<string, Allowance>>;
  readonly exceededStatus: number | undefined;
  readonly #store: LimitStore | undefined;
  readonly #networks: NetworkWindows;
  readonly #budgets = new Map<string, Budget>();
  /** Windows with draws that wait for the database. */
  readonly #pendingWindows = new Set<Window>();
  /** Serializes database access: totals must be applied in order. */
  #turn: Promise<unknown> = Promise.resolve();
  #syncedAt = 0;

  constructor({ enabled, allowances, store, exceededStatus, maxNetworks }: LimitOptions) {
    this.enabled = enabled;
    this.#networks = new NetworkWindows(maxNetworks);
    this.allowances = allowances;
    this.exceededStatus = exceededStatus;
    this.#store = store;
  }

  /** How many windows are those of callers without a credential. */
  get networks(): number {
    return this.#networks.size;
  }

  /**
   * Counts `cost` against the budget. Undefined when too little is left; the budget is then unchanged. Where other nodes
   * count too, at most `allowancePerSave` is granted from memory between two saves; above that the database counts first.
   * So all nodes together exceed the limit by at most that amount per node.
   */
  draw(
    category: string,
    spender: Spender,
    now: number,
    cost = 1,
  ): Counter | undefined | Promise<Counter | undefined> {
    const { limit, window } = this.#find(category, spender, now);
    if (window.used + cost > limit) return undefined;
    const { seconds } = window;
    if (this.#store?.isShared !== true || !isSaved(seconds)) return count(window, limit, cost);
    if (window.unsaved + cost <= allowancePerSave(limit, seconds)) return count(window, limit, cost);
    const { clock } = this.#store;
    return new Promise((settle, fail) => {
      const again = () => settle(this.draw(category, spender, clock.now(), cost));
      this.#ask(window, { cost, limit, settle, fail, again });
    });
  }

  /** The same from memory only, for work that is already done. */
  take(category: string, spender: Spender, now: number, cost = 1): Counter | undefined {
    const { limit, window } = this.#find(category, spender, now);
    return window.used + cost > limit ? undefined : count(window, limit, cost);
  }

  /** Reads without counting. It opens the window, so that repeated reads agree on the reset time. */
  peek(category: string, spender: Spender, now: number): Counter {
    const { limit, window } = this.#find(category, spender, now);
    return counterOf(window, limit);
  }

  refund(category: string, spender: Spender, now: number, cost = 1): Counter {
    const { limit, window } = this.#find(category, spender, now);
    return count(window, limit, -Math.min(cost, window.used));
  }

  /** The limit of one window. */
  limitOf(category: string, spender: Spender): number {
    return limitIn(this.#budget(category), spender);
  }

  #find(category: string, spender: Spender, now: number): { limit: number; window: Window } {
    const budget = this.#budget(category);
    return { limit: limitIn(budget, spender), window: this.#open(budget, spenderId(spender), now) };
  }

  #open(budget: Budget, who: string, now: number): Window {
    const { windows, category, allowance } = budget;
    const known = windows.get(who);
    if (known !== undefined && known.resetAt > now) {
      // By the current time, not the call's: a long call may have begun before the window.
      setReset(known, known.resetAt, this.#store?.clock.now() ?? now);
      return known;
    }
    if (known === undefined && isNetwork(who)) {
      const holder = this.#networks.holderFor(who);
      if (holder !== who) return this.#open(budget, holder, now);
      this.#networks.add(who);
    }
    const opened = newWindow(category, who, allowance.seconds, now);
    windows.set(who, opened);
    return opened;
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
    const budget = { category, allowance, windows: new Map<string, Window>() };
    this.#budgets.set(category, budget);
    return budget;
  }

  #ask(window: Window, draw: PendingDraw): void {
    window.waiting.push(draw);
    const isFirst = this.#pendingWindows.size === 0;
    this.#pendingWindows.add(window);
    // Draws that arrive while the database answers wait for the next round trip.
    if (isFirst) void this.#inTurn((store) => this.#save(store, this.#takePending())).catch(() => {});
  }

  #takePending(): Window[] {
    const windows = [...this.#pendingWindows];
    this.#pendingWindows.clear();
    return windows;
  }

  #inTurn(work: (store: LimitStore) => Promise<void>): Promise<void> {
    const store = this.#store;
    if (store === undefined) return Promise.resolve();
    const done = this.#turn.then(() => work(store));
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Loads the usage that an earlier process saved. */
  load(): Promise<void> {
    return this.#inTurn((store) => this.#load(store, 0));
  }

  /** Saves the usage counted here, and loads what other nodes have counted. */
  sync(): Promise<void> {
    return this.#inTurn(async (store) => {
      const now = store.clock.now();
      const { changed, isAnyPast } = this.#takeChanged(now);
      await this.#save(store, changed);
      if (isAnyPast) await deletePastWindows(store.db, now);
      if (!store.isShared) return;
      await this.#load(store, Math.min(this.#syncedAt, now) - CLOCK_SLACK_MS);
      this.#syncedAt = now;
    });
  }

  async #load({ db, clock }: LimitStore, since: number): Promise<void> {
    const rows = await loadWindows(db, clock.now(), since);
    const now = clock.now();
    for (const { category, who, used, resetAt } of rows) {
      // A category of another release may have no allowance here.
      const budget = this.#findBudget(category);
      // The window may have ended while the database answered.
      if (budget === undefined || resetAt <= now) continue;
      const window = this.#open(budget, who, now);
      // It may be a part of a shared one, whose usage has a row of its own.
      if (window.who !== who) continue;
      window.used = used + window.unsaved;
      setReset(window, resetAt, now);
    }
  }

  /** Also deletes windows that have ended. */
  #takeChanged(now: number): { changed: Window[]; isAnyPast: boolean } {
    const changed: Window[] = [];
    let isAnyPast = false;
    for (const [category, { windows }] of this.#budgets) {
      for (const [who, window] of windows) {
        if (window.resetAt <= now && window.waiting.length === 0) {
          isAnyPast = windows.delete(who);
          this.#networks.delete(who);
        } else if (isSaved(window.seconds) && (window.unsaved !== 0 || window.endsTooLate))
          changed.push(window);
      }
      if (windows.size === 0) this.#budgets.delete(category);
    }
    return { changed, isAnyPast };
  }

  /** Adds the usage counted here and the pending draws to the shared windows, and applies their new totals. */
  async #save({ db, clock }: LimitStore, windows: Window[]): Promise<void> {
    const now = clock.now();
    const pending = new Map<SavedWindow, { window: Window; draws: PendingDraw[] }>();
    for (const window of windows) {
      const { category, who, seconds, resetAt, unsaved } = window;
      const draws = window.waiting.splice(0);
      if (resetAt <= now) {
        for (const draw of draws) draw.again();
        continue;
      }
      const used = draws.reduce((sum, { cost }) => sum + cost, unsaved);
      pending.set({ category, who, seconds, used, resetAt }, { window, draws });
    }
    try {
      await saveWindows(db, [...pending.keys()], now, (saved, sum) => {
        const { window, draws } = pending.get(saved)!;
        pending.delete(saved);
        window.endsTooLate = false;
        setReset(window, sum.resetAt, clock.now());
        applyTotal(window, draws, saved.used, sum.used);
      });
    } catch (error) {
      for (const { draws } of pending.values()) for (const draw of draws) draw.fail(error);
      throw error;
    }
  }
}

/** Usage counted while the database answered stays unsaved. Draws that do not fit are subtracted with the next save. */
function applyTotal(window: Window, draws: readonly PendingDraw[], saved: number, sum: number): void {
  const drawn = draws.reduce((total, { cost }) => total + cost, 0);
  window.unsaved -= saved - drawn;
  let spent = sum - drawn;
  const granted = new Set<PendingDraw>();
  for (const draw of draws) {
    if (spent + draw.cost > draw.limit) window.unsaved -= draw.cost;
    else {
      spent += draw.cost;
      granted.add(draw);
    }
  }
  window.used = sum + window.unsaved;
  for (const draw of draws) draw.settle(granted.has(draw) ? counterOf(window, draw.limit) : undefined);
}

function count(window: Window, limit: number, cost: number): Counter {
  window.used += cost;
  window.unsaved += cost;
  return counterOf(window, limit);
}

/** A service token spends its creator's budget: otherwise creating tokens would multiply the budget. */
function spenderId(spender: Spender): string {
  if (spender === 'everyone') return EVERYONE;
  return budgetIdOf(spender);
}

/** Whose budget a call counts against: a program's own, a member's, or that of an address. */
export function budgetIdOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return networkOf(caller.address);
  return caller.budget === undefined ? caller.member.id : caller.budget.id;
}

function limitIn({ allowance: { known, anonymous, mayBeRaised } }: Budget, spender: Spender): number {
  if (spender === 'everyone') return known;
  if (spender.kind === 'anonymous') return anonymous;
  return mayBeRaised ? Math.max(known, spender.budget?.limit ?? 0) : known;
}
