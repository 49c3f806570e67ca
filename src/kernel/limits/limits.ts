// Rate limits: fixed windows per caller and category that begin at first use; counted in memory, shared through the database. ADR 0011, 0030 and 0109.
import type { Clock } from '../clock.ts';
import type { Caller } from '../identity/caller.ts';
import { NetworkWindows, isNetwork, networkOf } from './client-network.ts';
import { isPeakKept, PeakCounter } from './peak-counter.ts';
import { deletePastWindows, loadWindows, saveWindows, type SavedWindow } from './store.ts';
import {
  CLOCK_SLACK_MS,
  counterOf,
  quotaPerSave,
  isSaved,
  newWindow,
  setReset,
  type Quota,
  type Counter,
  type PendingConsumption,
  type Window,
} from './window.ts';
import type { Db } from '../storage/tables.ts';

/** Whose budget: a caller's own, or one that all callers share (that of a single store, for example). */
export type RateLimitSubject = Caller | 'everyone';

const EVERYONE = '*';

interface Budget {
  category: string;
  quota: Quota;
  /** By subject. Two lookups by existing strings cost less than one by a concatenated key. */
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
  quotas: Record<string, Quota>;
  /** Where windows are saved; without it they are in memory only. */
  store?: LimitStore;
  /** The status of calls over a limit, for protocols that leave it to the operator. */
  exceededStatus?: number;
  /** For `NetworkWindows`. */
  maxNetworks?: number;
}

export class Limits {
  readonly enabled: boolean;
  readonly quotas: Readonly<Record<string, Quota>>;
  readonly exceededStatus: number | undefined;
  readonly #store: LimitStore | undefined;
  readonly #networks: NetworkWindows;
  readonly #budgets = new Map<string, Budget>();
  readonly #peaks = new PeakCounter();
  /** Windows with consumptions that wait for the database. */
  readonly #pendingWindows = new Set<Window>();
  /** Serializes database access: totals must be applied in order. */
  #turn: Promise<unknown> = Promise.resolve();
  #syncedAt = 0;

  constructor({ enabled, quotas, store, exceededStatus, maxNetworks }: LimitOptions) {
    this.enabled = enabled;
    this.#networks = new NetworkWindows(maxNetworks);
    this.quotas = quotas;
    this.exceededStatus = exceededStatus;
    this.#store = store;
  }

  /** How many windows are those of callers without a credential. */
  get networks(): number {
    return this.#networks.size;
  }

  /**
   * Counts `cost` against the budget. Undefined when too little is left; the budget is then unchanged. Where other nodes
   * count too, at most `quotaPerSave` is granted from memory between two saves; above that the database counts first.
   * So all nodes together exceed the limit by at most that amount per node.
   */
  consume(
    category: string,
    subject: RateLimitSubject,
    now: number,
    cost = 1,
  ): Counter | undefined | Promise<Counter | undefined> {
    const { limit, window } = this.#find(category, subject, now);
    if (window.used + cost > limit) return refuse(window, cost);
    const { seconds } = window;
    if (this.#store?.isShared !== true || !isSaved(seconds)) return count(window, limit, cost);
    if (window.unsaved + cost <= quotaPerSave(limit, seconds)) return count(window, limit, cost);
    const { clock } = this.#store;
    return new Promise((settle, fail) => {
      const again = () => settle(this.consume(category, subject, clock.now(), cost));
      this.#ask(window, { cost, limit, settle, fail, again });
    });
  }

  /** The same from memory only, for work that is already done. */
  take(category: string, subject: RateLimitSubject, now: number, cost = 1): Counter | undefined {
    const { limit, window } = this.#find(category, subject, now);
    return window.used + cost > limit ? refuse(window, cost) : count(window, limit, cost);
  }

  /** Reads without counting. It opens the window, so that repeated reads agree on the reset time. */
  peek(category: string, subject: RateLimitSubject, now: number): Counter {
    const { limit, window } = this.#find(category, subject, now);
    return counterOf(window, limit);
  }

  /** The open windows of a caller, by category. It opens none. */
  listUsed(caller: Caller, now: number): { category: string; counter: Counter }[] {
    const who = budgetIdOf(caller);
    return [...this.#budgets.values()].flatMap((budget) => {
      const window = budget.windows.get(who);
      if (window === undefined || window.resetAt <= now) return [];
      return { category: budget.category, counter: counterOf(window, limitIn(budget, caller)) };
    });
  }

  refund(category: string, subject: RateLimitSubject, now: number, cost = 1): Counter {
    const { limit, window } = this.#find(category, subject, now);
    return count(window, limit, -Math.min(cost, window.used));
  }

  /** The limit of one window. */
  limitOf(category: string, subject: RateLimitSubject): number {
    return limitIn(this.#budget(category), subject);
  }

  #find(category: string, subject: RateLimitSubject, now: number): { limit: number; window: Window } {
    const budget = this.#budget(category);
    return { limit: limitIn(budget, subject), window: this.#open(budget, subjectId(subject), now) };
  }

  #open(budget: Budget, who: string, now: number): Window {
    const { windows, category, quota } = budget;
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
    const opened = newWindow(category, who, quota.seconds, now);
    if (known !== undefined) this.#end(known);
    windows.set(who, opened);
    return opened;
  }

  /** Without a store nothing would save what it was. */
  #end(window: Window): void {
    if (this.#store !== undefined && isPeakKept(window)) this.#peaks.add(window);
  }

  #budget(category: string): Budget {
    const budget = this.#findBudget(category);
    if (budget === undefined) throw new Error(`No quota for ${category}`);
    return budget;
  }

  #findBudget(category: string): Budget | undefined {
    const known = this.#budgets.get(category);
    if (known !== undefined) return known;
    const colon = category.indexOf(':');
    const quota = this.quotas[colon === -1 ? category : category.slice(0, colon)];
    if (quota === undefined) return undefined;
    const budget = { category, quota, windows: new Map<string, Window>() };
    this.#budgets.set(category, budget);
    return budget;
  }

  #ask(window: Window, consumption: PendingConsumption): void {
    window.waiting.push(consumption);
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
      await this.#peaks.save(store.db);
      if (!store.isShared) return;
      await this.#load(store, Math.min(this.#syncedAt, now) - CLOCK_SLACK_MS);
      this.#syncedAt = now;
    });
  }

  async #load({ db, clock }: LimitStore, since: number): Promise<void> {
    const rows = await loadWindows(db, clock.now(), since);
    const now = clock.now();
    for (const { category, who, used, resetAt } of rows) {
      // A category of another release may have no quota here.
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
          this.#end(window);
          this.#networks.delete(who);
        } else if (isSaved(window.seconds) && (window.unsaved !== 0 || window.endsTooLate))
          changed.push(window);
      }
      if (windows.size === 0) this.#budgets.delete(category);
    }
    return { changed, isAnyPast };
  }

  /** Adds the usage counted here and the pending consumptions to the shared windows, and applies their new totals. */
  async #save({ db, clock }: LimitStore, windows: Window[]): Promise<void> {
    const now = clock.now();
    const pending = new Map<SavedWindow, { window: Window; consumptions: PendingConsumption[] }>();
    for (const window of windows) {
      const { category, who, seconds, resetAt, unsaved } = window;
      const consumptions = window.waiting.splice(0);
      if (resetAt <= now) {
        for (const consumption of consumptions) consumption.again();
        continue;
      }
      const used = consumptions.reduce((sum, { cost }) => sum + cost, unsaved);
      pending.set({ category, who, seconds, used, resetAt }, { window, consumptions });
    }
    try {
      await saveWindows(db, [...pending.keys()], now, (saved, sum) => {
        const { window, consumptions } = pending.get(saved)!;
        pending.delete(saved);
        window.endsTooLate = false;
        setReset(window, sum.resetAt, clock.now());
        applyTotal(window, consumptions, saved.used, sum.used);
      });
    } catch (error) {
      for (const { consumptions } of pending.values())
        for (const consumption of consumptions) consumption.fail(error);
      throw error;
    }
  }
}

/** Usage counted while the database answered stays unsaved. Draws that do not fit are subtracted with the next save. */
function applyTotal(
  window: Window,
  consumptions: readonly PendingConsumption[],
  saved: number,
  sum: number,
): void {
  const consumed = consumptions.reduce((total, { cost }) => total + cost, 0);
  window.unsaved -= saved - consumed;
  let spent = sum - consumed;
  const granted = new Set<PendingConsumption>();
  for (const consumption of consumptions) {
    if (spent + consumption.cost > consumption.limit) {
      window.unsaved -= consumption.cost;
      window.refused += consumption.cost;
    } else {
      spent += consumption.cost;
      granted.add(consumption);
    }
  }
  window.used = sum + window.unsaved;
  for (const consumption of consumptions)
    consumption.settle(granted.has(consumption) ? counterOf(window, consumption.limit) : undefined);
}

function refuse(window: Window, cost: number): undefined {
  window.refused += cost;
}

function count(window: Window, limit: number, cost: number): Counter {
  window.used += cost;
  window.unsaved += cost;
  return counterOf(window, limit);
}

/** A service token spends its creator's budget: otherwise creating tokens would multiply the budget. */
function subjectId(subject: RateLimitSubject): string {
  if (subject === 'everyone') return EVERYONE;
  return budgetIdOf(subject);
}

/** Whose budget a call counts against: a program's own, a member's, or that of an address. */
export function budgetIdOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return networkOf(caller.address);
  return caller.budget === undefined ? caller.member.id : caller.budget.id;
}

function limitIn({ quota: { known, anonymous, mayBeRaised } }: Budget, subject: RateLimitSubject): number {
  if (subject === 'everyone') return known;
  if (subject.kind === 'anonymous') return anonymous;
  return mayBeRaised ? Math.max(known, subject.budget?.limit ?? 0) : known;
}
