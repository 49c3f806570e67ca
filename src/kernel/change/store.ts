// Audit entries in the database: one row per change, written in the same transaction as the change.
import type { Generated } from 'kysely';
import { insertOf } from '../storage/build-once.ts';
import { stringifyOnce } from '../json/json-once.ts';
import type { Migration } from '../storage/migrate.ts';
import { wordsOf } from '../storage/search.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import type { ChangeActor } from '../identity/actor.ts';
import type { AuditEntry } from './change.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    events: {
      /** Increases with time: readers of the outbox store the last one they have read. */
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
      /** The words that a search matches. */
      words: string | null;
      /** The account that owns the resource; null for what belongs to all members, and in entries of earlier releases. */
      owner_id: Generated<string | null>;
      /** Stays the same when the resource is renamed. */
      subject: Generated<string | null>;
      /** The transaction; see `Engine.oldestTransaction`. */
      xid: Generated<number | null>;
    };
  }
}

export const eventMigrations: Migration[] = [
  {
    name: 'kernel-events',
    up: ({ serial, text }) => [
      `create table events (
         seq ${serial}, id ${text} not null unique, at bigint not null, call_id ${text}, member_id ${text}, token_id ${text},
         action ${text} not null, resource ${text} not null, kind ${text} not null, name ${text} not null,
         before ${text}, after ${text}, comment ${text})`,
      `create index events_at on events (at)`,
      `create index events_resource on events (resource, at)`,
    ],
  },
  {
    name: 'kernel-events-search',
    up: ({ search, text }) => [
      `alter table events add column accesses ${text}`,
      `alter table events add column detail ${text}`,
      `alter table events add column words ${text}`,
      `drop index events_at`,
      `create index events_at on events (at, seq)`,
      `drop index events_resource`,
      `create index events_resource on events (resource, seq)`,
      ...search('events', 'seq'),
    ],
  },
  {
    name: 'kernel-events-owners',
    up: ({ text }) => [
      `alter table events add column owner_id ${text}`,
      `alter table events add column subject ${text}`,
      'create index events_owner on events (owner_id) where owner_id is not null',
      'create index events_subject on events (subject) where subject is not null',
    ],
  },
  {
    name: 'kernel-events-order',
    up: ({ transactions }) => transactions('events', 'seq'),
  },
];

/** The parts of an entry without a column of their own. */
export type AuditDetail = Pick<AuditEntry, 'verb' | 'description' | 'update' | 'who'>;

/** At most so many; readers of new entries are never so far behind. */
export async function deleteEntriesBefore(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('events')
    .select('seq')
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('seq')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const numbers = old.map(({ seq }) => seq);
  await db.deleteFrom('events').where('seq', 'in', numbers).execute();
  return old.length;
}

const insertEvent = insertOf('events');

export function insertAuditEntry(
  db: Db,
  { id: callId, caller }: ChangeActor,
  entry: AuditEntry,
): SqlStatement {
  const { id, at, accesses, resource, kind, name, before, after, comment, verb } = entry;
  const { description, update, who, ownerId, subject } = entry;
  const detail: AuditDetail = {
    verb,
    ...(description && { description }),
    ...(update && { update }),
    who,
  };
  return insertEvent(db, {
    id,
    at,
    call_id: callId ?? null,
    member_id: caller?.member.id ?? null,
    token_id: caller?.token?.id ?? null,
    action: accesses[0]!.action,
    resource,
    kind,
    name,
    before: textOf(before),
    after: textOf(after),
    comment: comment ?? null,
    accesses: textOf(accesses),
    detail: textOf(detail),
    words: wordsOf(name, resource, comment, caller?.member.email, verb),
    owner_id: ownerId ?? null,
    subject: subject ?? null,
  });
}

/** Who may see the entries of a resource follows its owner; those of a deleted one stay with its last owner. */
export async function updateEntryOwner(
  db: Db,
  of: { ownerId: string } | { subject: string },
  to: string,
): Promise<void> {
  const update = db.updateTable('events').set({ owner_id: to });
  await (
    'subject' in of ? update.where('subject', '=', of.subject) : update.where('owner_id', '=', of.ownerId)
  ).execute();
}

function textOf(value: unknown): string | null {
  if (typeof value === 'object' && value !== null) return stringifyOnce(value);
  return value === undefined ? null : JSON.stringify(value);
}
