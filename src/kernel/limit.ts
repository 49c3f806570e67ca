// Rate limits: fixed windows per caller and category, anchored at first use; counted in memory, shared through the database.
import type { Caller } from './identity/caller.ts';
import type { Migration } from './storage/migrate.ts';
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

/** Windows as short as this are over before another node or process could learn of them: they are not saved. */
const SHORT_SECONDS = 2;

interface Window {
  used: number;
  resetAt: number;
  /** What this process has counted and not yet told the database. */
  unsaved: number;
}

declare module './storage/tables.ts' {
  interface Tables {
    limit_windows: { bucket: string; used: number; reset_at: number; saved_at: number };
  }
}

export const limitMigrations: Migration[] = [
  {
    name: 'kernel-limit-windows',
    up: () => [
      `create table limit_windows (
         bucket text primary key, used bigint not null, reset_at bigint not null, saved_at bigint not null)`,
      `create index limit_windows_reset on limit_windows (reset_at)`,
      `create index limit_windows_saved on limit_windows (saved_at)`,
    ],
  },
];

export class Limits {
  readonly enabled: boolean;
  readonly allowances: Readonly<Record<string, Allowance>>;
  readonly #windows = new Map<string, Window>();
  #syncedAt = 0;

  /** Allowances by category: `host.core`. A category may carry a scope after a colon (`flags.route:getTokens`), counted apart. */
  constructor({ enabled, allowances }: { enabled: boolean; allowances: Record<string, Allowance> }) {
    this.enabled = enabled;
    this.allowances = allowances;
  }

  /** Counts `cost` against the caller's budget. Undefined when that has too little left; it is then unchanged. */
  take(category: string, caller: Spender, now: number, cost = 1): Counter | undefined {
    const { limit, window } = this.#find(category, caller, now);
    if (window.used + cost > limit) return undefined;
    window.used += cost;
    window.unsaved += cost;
    return counterOf(window, limit);
  }

  /** Reads without counting. It opens the window, so that two readings with no call between are the same. */
  peek(category: string, caller: Spender, now: number): Counter {
    const { limit, window } = this.#find(category, caller, now);
    return counterOf(window, limit);
  }

  refund(category: string, caller: Spender, now: number, cost = 1): Counter {
    const { limit, window } = this.#find(category, caller, now);
    const back = Math.min(cost, window.used);
    window.used -= back;
    window.unsaved -= back;
    return counterOf(window, limit);
  }

  #find(category: string, caller: Spender, now: number) {
    const colon = category.indexOf(':');
    const allowance = this.allowances[colon === -1 ? category : category.slice(0, colon)];
    if (allowance === undefined) throw new Error(`No allowance for ${category}`);
    const isAnonymous = caller !== 'everyone' && caller.kind === 'anonymous';
    const who = caller === 'everyone' ? '*' : caller.kind === 'anonymous' ? caller.address : caller.member.id;
    const bucket = `${category} ${who}`;
    return {
      limit: isAnonymous ? allowance.anonymous : allowance.known,
      window: this.#open(bucket, allowance.seconds, now),
    };
  }

  #open(bucket: string, seconds: number, now: number): Window {
    const known = this.#windows.get(bucket);
    if (known !== undefined && known.resetAt > now) return known;
    const resetAt = seconds > SHORT_SECONDS ? Math.ceil(now / 1000 + seconds) * 1000 : now + seconds * 1000;
    const opened = { used: 0, resetAt, unsaved: 0 };
    this.#windows.set(bucket, opened);
    return opened;
  }

  /** Takes over what an earlier process or another node has spent, as far as it was saved after `since`. */
  async load(db: Db, now: number, since = 0): Promise<void> {
    const rows = await db
      .selectFrom('limit_windows')
      .selectAll()
      .where('saved_at', '>', since)
      .where('reset_at', '>', now)
      .execute();
    for (const { bucket, used, reset_at } of rows) {
      const unsaved = this.#windows.get(bucket)?.unsaved ?? 0;
      this.#windows.set(bucket, { used: used + unsaved, resetAt: reset_at, unsaved });
    }
  }

  /** Saves what was counted here and learns what was counted elsewhere. */
  async sync(db: Db, now: number): Promise<void> {
    const since = this.#syncedAt - CLOCK_SLACK_MS;
    this.#syncedAt = now;
    await this.save(db, now);
    if (this.#windows.size > 0) await this.load(db, now, since);
  }

  /** Adds what was counted here to the shared windows, takes over their sums, and forgets windows that are past. */
  async save(db: Db, now: number): Promise<void> {
    const changed: [bucket: string, window: Window][] = [];
    let isAnyPast = false;
    for (const [bucket, window] of this.#windows) {
      if (window.resetAt <= now) isAnyPast = this.#windows.delete(bucket);
      else if (window.unsaved !== 0 && window.resetAt - now > SHORT_SECONDS * 1000)
        changed.push([bucket, window]);
    }
    // Sorted, so that two nodes never wait for each other's rows.
    changed.sort(([a], [b]) => (a < b ? -1 : 1));
    for (let start = 0; start < changed.length; start += ROWS_AT_ONCE) {
      await saveSome(db, changed.slice(start, start + ROWS_AT_ONCE), now);
    }
    if (isAnyPast) await db.deleteFrom('limit_windows').where('reset_at', '<=', now).execute();
  }
}

const ROWS_AT_ONCE = 200;

/** How far the clocks of two nodes may be apart. */
const CLOCK_SLACK_MS = 10_000;

async function saveSome(db: Db, changed: [bucket: string, window: Window][], now: number): Promise<void> {
  const rows = changed.map(([bucket, { unsaved, resetAt }]) => ({
    bucket,
    used: unsaved,
    reset_at: resetAt,
    saved_at: now,
  }));
  const sums = await db
    .insertInto('limit_windows')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('bucket').doUpdateSet(({ ref, eb }) => ({
        used: eb
          .case()
          .when('limit_windows.reset_at', '<=', now)
          .then(ref('excluded.used'))
          .else(eb('limit_windows.used', '+', ref('excluded.used')))
          .end(),
        reset_at: eb
          .case()
          .when('limit_windows.reset_at', '<=', now)
          .then(ref('excluded.reset_at'))
          .else(ref('limit_windows.reset_at'))
          .end(),
        saved_at: ref('excluded.saved_at'),
      })),
    )
    .returning(['bucket', 'used', 'reset_at'])
    .execute();
  const sent = new Map(rows.map(({ bucket, used }) => [bucket, used]));
  const windows = new Map(changed);
  for (const { bucket, used, reset_at } of sums) {
    const window = windows.get(bucket)!;
    // Calls went on while the database answered: they stay unsaved.
    window.unsaved -= sent.get(bucket)!;
    window.used = used + window.unsaved;
    window.resetAt = reset_at;
  }
}

function counterOf({ used, resetAt }: Window, limit: number): Counter {
  return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), resetAt };
}
