// Counts the calls that a newer version would change, by caller, in bounded memory; saves the counters in batches.
import type { Clock } from '../../clock.ts';
import { chunk } from '../../collections/chunk.ts';
import type { ApiProtocol } from '../../http/protocol.ts';
import type { Caller } from '../../identity/caller.ts';
import type { RouteShape } from '../../http/route.ts';
import type { Engine } from '../../storage/engine.ts';
import { type AskedShapes, RouteUsage } from './route-usage.ts';
import {
  unrecordedKey,
  usageKeyText,
  usageStatements,
  type UsageCallerKind,
  type UsageEffectRow,
  type UsageRow,
} from './store.ts';

/** Counters of a node, those included that are being saved: about 4 MB. */
const MAX_COUNTERS = 20_000;
/** Counters that are saved at once: building larger statements would hold the event loop. */
const SAVED_AT_ONCE = 100;
/** Reports ask other nodes for their counters at most so often. */
const ASK_MS = 1000;
/** The channel on which a report asks all nodes to save. */
const SAVE_USAGE = 'version-usage';

/** Calls of one caller on a route in one version with the same effects. */
interface UsageCounter {
  usage: RouteUsage;
  effects: number;
  caller: string;
  kind: UsageCallerKind;
  memberId: string | null;
  calls: number;
  firstAt: number;
  lastAt: number;
  /** The same caller and route with other effects. */
  next: UsageCounter | undefined;
}

/** Calls that no counter was free for. */
interface LostCalls {
  calls: number;
  firstAt: number;
  lastAt: number;
}

export interface VersionUsageOptions {
  engine: Engine;
  clock: Clock;
  maxCounters?: number;
}

export class VersionUsage {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #maxCounters: number;
  /** By API and route, then by version and variant: a route has one, wherever it is mounted. */
  readonly #routes = new WeakMap<ApiProtocol, Map<RouteShape, Map<string, RouteUsage | null>>>();
  #counters = new Map<RouteUsage, Map<string, UsageCounter>>();
  #lost = new Map<string, LostCalls>();
  /** Counters in memory, those included that are being saved. */
  #count = 0;
  /** Those of them that wait for the next save. */
  #waiting = 0;
  #saving: Promise<void> = Promise.resolve();
  #isPressed = false;
  #askedAt = 0;
  #stopListening = () => {};

  constructor({ engine, clock, maxCounters = MAX_COUNTERS }: VersionUsageOptions) {
    this.#engine = engine;
    this.#clock = clock;
    this.#maxCounters = maxCounters;
  }

  async open(): Promise<this> {
    this.#stopListening = await this.#engine.listen(SAVE_USAGE, () => this.save());
    return this;
  }

  close(): void {
    this.#stopListening();
  }

  /** Undefined where no newer version changes the route: its calls are not looked at. */
  of(protocol: ApiProtocol, shape: RouteShape, asked: AskedShapes): RouteUsage | undefined {
    let shapes = this.#routes.get(protocol);
    if (shapes === undefined) this.#routes.set(protocol, (shapes = new Map()));
    let usages = shapes.get(shape);
    if (usages === undefined) shapes.set(shape, (usages = new Map()));
    const key = `${asked.version} ${asked.variant ?? ''}`;
    let known = usages.get(key);
    if (known === undefined) {
      const made = new RouteUsage(protocol.name, shape, asked, protocol.versions);
      known = made.effects.length === 0 ? null : made;
      usages.set(key, known);
    }
    return known ?? undefined;
  }

  /** Counts a successful call on which newer versions would have these effects. */
  record(usage: RouteUsage, caller: Caller, effects: number, now: number): void {
    const id = callerIdOf(caller);
    let counters = this.#counters.get(usage);
    if (counters === undefined) this.#counters.set(usage, (counters = new Map()));
    const first = counters.get(id);
    let counter = first;
    while (counter !== undefined && counter.effects !== effects) counter = counter.next;
    if (counter !== undefined) {
      counter.calls += 1;
      counter.lastAt = now;
      return;
    }
    if (this.#count >= this.#maxCounters) return this.#lose(usage.api, 1, now, now);
    const made: UsageCounter = {
      usage,
      effects,
      caller: id,
      kind: kindOf(caller),
      memberId: memberIdOf(caller),
      calls: 1,
      firstAt: now,
      lastAt: now,
      next: undefined,
    };
    this.#add(counters, made, first);
    if (this.#waiting * 2 >= this.#maxCounters) this.#press();
  }

  #add(counters: Map<string, UsageCounter>, made: UsageCounter, first: UsageCounter | undefined): void {
    this.#count += 1;
    this.#waiting += 1;
    if (first === undefined) counters.set(made.caller, made);
    else {
      made.next = first.next;
      first.next = made;
    }
  }

  /** Saves before the memory is full. An error is that of the next regular save, which logs it. */
  #press(): void {
    if (this.#isPressed) return;
    this.#isPressed = true;
    setImmediate(() => {
      void this.save()
        .catch(() => {})
        .finally(() => (this.#isPressed = false));
    });
  }

  #lose(api: string, calls: number, firstAt: number, lastAt: number): void {
    const lost = this.#lost.get(api);
    if (lost === undefined) this.#lost.set(api, { calls, firstAt, lastAt });
    else {
      lost.calls += calls;
      lost.lastAt = Math.max(lost.lastAt, lastAt);
    }
  }

  /** Saves everything counted before; what a crash loses was counted since. */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => {});
    return saved;
  }

  /** For a report: saves the counters of this node, and has other nodes save theirs. */
  async collect(): Promise<void> {
    await this.save();
    const now = this.#clock.now();
    if (!this.#engine.isShared || Math.abs(now - this.#askedAt) < ASK_MS) return;
    this.#askedAt = now;
    await this.#engine.notify(SAVE_USAGE);
  }

  async #save(): Promise<void> {
    const taken = [...this.#counters.values()].flatMap((counters) => [...counters.values()].flatMap(chainOf));
    const lost = this.#lost;
    this.#counters = new Map();
    this.#lost = new Map();
    this.#waiting = 0;
    const batches = [...chunk(taken, SAVED_AT_ONCE)];
    try {
      while (batches.length > 0) {
        const batch = batches[0]!;
        await this.#engine.batch(usageStatements(this.#engine.db, ...rowsOf(batch)));
        batches.shift();
        this.#count -= batch.length;
      }
      if (lost.size > 0) await this.#engine.batch(usageStatements(this.#engine.db, lostRows(lost), []));
      lost.clear();
    } finally {
      // Only where a statement failed.
      for (const counter of batches.flat()) this.#giveBack(counter);
      for (const [api, { calls, firstAt, lastAt }] of lost) this.#lose(api, calls, firstAt, lastAt);
    }
  }

  #giveBack(unsaved: UsageCounter): void {
    const { usage, caller, effects } = unsaved;
    let counters = this.#counters.get(usage);
    if (counters === undefined) this.#counters.set(usage, (counters = new Map()));
    const first = counters.get(caller);
    const same = first && chainOf(first).find((one) => one.effects === effects);
    this.#count -= 1;
    if (same === undefined) return this.#add(counters, { ...unsaved, next: undefined }, first);
    same.calls += unsaved.calls;
    same.firstAt = Math.min(same.firstAt, unsaved.firstAt);
    same.lastAt = Math.max(same.lastAt, unsaved.lastAt);
  }
}

function chainOf(first: UsageCounter): UsageCounter[] {
  const chain: UsageCounter[] = [];
  for (let one: UsageCounter | undefined = first; one !== undefined; one = one.next) chain.push(one);
  return chain;
}

/** Callers without a credential are counted as one: their addresses are nobody's business, and have no bound. */
export function callerIdOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return '';
  return caller.program?.id ?? caller.token?.id ?? caller.member.id;
}

function kindOf(caller: Caller): UsageCallerKind {
  if (caller.kind === 'anonymous') return 'anonymous';
  if (caller.program !== undefined) return 'program';
  return caller.token === undefined ? 'session' : 'token';
}

function memberIdOf(caller: Caller): string | null {
  return caller.kind === 'anonymous' || caller.program !== undefined ? null : caller.member.id;
}

/** One row for each caller and route, whatever the effects were, and one for each effect. */
function rowsOf(counters: readonly UsageCounter[]): [UsageRow[], UsageEffectRow[]] {
  const rows = new Map<string, UsageRow>();
  const effects = new Map<string, UsageEffectRow>();
  for (const { usage, effects: bits, caller, kind, memberId, calls, firstAt, lastAt } of counters) {
    const { api, operation, asked } = usage;
    const key = { caller, api, version: asked.version, variant: asked.variant ?? '', operation };
    const noticed = usage.effectsIn(bits);
    const changedIn = noticed.map(({ version }) => version).toSorted()[0]!;
    const text = usageKeyText(key);
    const row = rows.get(text);
    if (row === undefined) rows.set(text, { ...key, kind, memberId, changedIn, calls, firstAt, lastAt });
    else {
      row.calls += calls;
      row.firstAt = Math.min(row.firstAt, firstAt);
      row.lastAt = Math.max(row.lastAt, lastAt);
      if (changedIn < row.changedIn) row.changedIn = changedIn;
    }
    for (const id of new Set(noticed.map((effect) => effect.id))) {
      const one = effects.get(`${text}\n${id}`);
      if (one === undefined) effects.set(`${text}\n${id}`, { ...key, effect: id, calls, lastAt });
      else {
        one.calls += calls;
        one.lastAt = Math.max(one.lastAt, lastAt);
      }
    }
  }
  return [[...rows.values()], [...effects.values()]];
}

function lostRows(lost: ReadonlyMap<string, LostCalls>): UsageRow[] {
  return [...lost].map(([api, counts]) => ({
    ...unrecordedKey(api),
    ...counts,
    kind: 'anonymous',
    memberId: null,
    changedIn: '',
  }));
}
