// Events: one outbox row per change, written in the change's own transaction, so that an audit entry is never lost and never lies.
import type { CompiledQuery, Generated } from 'kysely';
import { newId } from './id.ts';
import type { KnownCaller } from './identity/caller.ts';
import type { Migration } from './storage/migrate.ts';
import { wordsOf } from './storage/search.ts';
import type { Db } from './storage/tables.ts';

declare module './storage/tables.ts' {
  interface Tables {
    events: {
      /** Grows with time: readers of the outbox remember how far they came. */
      seq: Generated<number>;
      id: string;
      at: number;
      call_id: string | null;
      member_id: string | null;
      token_id: string | null;
      action: string;
      resource: string;
      kind: string;
      name: string;
      before: string | null;
      after: string | null;
      comment: string | null;
      accesses: string | null;
      detail: string | null;
      /** What a search finds it by. */
      words: string | null;
    };
  }
}

export const eventMigrations: Migration[] = [
  {
    name: 'kernel-events',
    up: ({ serial }) => [
      `create table events (
         seq ${serial}, id text not null unique, at bigint not null, call_id text, member_id text, token_id text,
         action text not null, resource text not null, kind text not null, name text not null,
         before text, after text, comment text)`,
      `create index events_at on events (at)`,
      `create index events_resource on events (resource, at)`,
    ],
  },
  {
    name: 'kernel-events-search',
    up: ({ search }) => [
      `alter table events add column accesses text`,
      `alter table events add column detail text`,
      `alter table events add column words text`,
      `drop index events_at`,
      `create index events_at on events (at, seq)`,
      `drop index events_resource`,
      `create index events_resource on events (resource, seq)`,
      ...search('events', 'seq'),
    ],
  },
];

/** A permission that was used, or is needed. */
export interface Access {
  action: string;
  resource: string;
}

export interface Event {
  /** The permission it took, and on what: audit and webhook filters speak the same words as policies. */
  action: string;
  resource: string;
  /** All of them, where one change took several. */
  accesses?: Access[];
  /** What sort of thing changed (`token`), and its name at the time. */
  kind: string;
  name: string;
  /** The thing before and after; absent for what did not exist. Never with secrets. */
  before?: unknown;
  after?: unknown;
  comment?: string | undefined;
  /** What else its API wants to tell of it. */
  detail?: unknown;
  /** More text to find it by, beside name, resource, comment and who. */
  words?: string;
}

/** Who did it: a call over HTTP, or nobody when the program itself or its operator did. */
export interface Actor {
  now: number;
  id?: string;
  caller?: KnownCaller;
}

/** Returns its id. */
export async function recordEvent(tx: Db, actor: Actor, event: Event): Promise<string> {
  const { id, statement } = prepareEvent(tx, actor, event);
  await tx.executeQuery(statement);
  return id;
}

/** The same, to be sent together with other statements. */
export function prepareEvent(db: Db, { now, id, caller }: Actor, event: Event): PreparedEvent {
  const eventId = newId(now);
  const insert = db.insertInto('events').values({
    id: eventId,
    at: now,
    call_id: id ?? null,
    member_id: caller?.member.id ?? null,
    token_id: caller?.token?.id ?? null,
    action: event.action,
    resource: event.resource,
    kind: event.kind,
    name: event.name,
    before: textOf(event.before),
    after: textOf(event.after),
    comment: event.comment ?? null,
    accesses: textOf(event.accesses),
    detail: textOf(event.detail),
    words: wordsOf(event.name, event.resource, event.comment, caller?.member.email, event.words),
  });
  return { id: eventId, statement: insert.compile() };
}

export interface PreparedEvent {
  id: string;
  statement: CompiledQuery;
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
