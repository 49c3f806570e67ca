// The tables of webhook deliveries, their bodies and their attempts.
import type { Generated } from 'kysely';
import type { Migration } from '../storage/migrate.ts';

/** A hook, as deliveries name it. */
export interface HookRef {
  /** The name of the API's protocol. */
  api: string;
  hookId: string;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed';

declare module '../storage/tables.ts' {
  interface Tables {
    deliveries: DeliveryRow;
    /** One row per body, shared by the deliveries of all hooks. */
    delivery_bodies: { id: string; body: string; created_at: number };
    delivery_attempts: AttemptRow;
  }
}

export interface DeliveryRow {
  /** Increases with time: the order of sending and of lists. */
  seq: Generated<number>;
  /** Where the API gives it none, derived from the hook and the event, so that an event has one delivery per hook. */
  id: string;
  api: string;
  hook_id: string;
  event_id: string;
  body_id: string;
  state: DeliveryState;
  attempts: number;
  /** The number of attempts before redelivery was requested. */
  attempts_before: number;
  /** When it may be sent; null once it is finished. */
  due_at: number | null;
  /** When it is given up regardless of its attempts. */
  expires_at: number;
  created_at: number;
  finished_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** The account that owns the hook, where the API lists deliveries by account. */
  owner_id: Generated<string | null>;
  /** What the API saves with a delivery, in its own format. */
  details: Generated<string | null>;
}

export interface AttemptRow {
  delivery_id: string;
  number: number;
  at: number;
  status: number | null;
  error: string | null;
  duration_ms: number;
  response: string;
  /** What the API saves with an attempt, in its own format. */
  details: string | null;
  /** JSON of `AttemptPhases`; null where none is known. */
  phases: string | null;
}

export const webhookMigrations: Migration[] = [
  {
    name: 'kernel-webhooks',
    up: ({ serial, text }) => [
      `create table deliveries (
         seq ${serial}, id ${text} not null unique, api ${text} not null, hook_id ${text} not null, event_id ${text} not null,
         body_id ${text} not null, state ${text} not null, attempts integer not null, attempts_before integer not null,
         due_at bigint, expires_at bigint not null, created_at bigint not null, finished_at bigint,
         last_status integer, last_error ${text})`,
      'create index deliveries_of_hook on deliveries (api, hook_id, seq)',
      'create index deliveries_due on deliveries (api, hook_id, due_at, seq) where due_at is not null',
      'create index deliveries_finished on deliveries (finished_at) where finished_at is not null',
      'create index deliveries_body on deliveries (body_id)',
      `create table delivery_bodies (id ${text} primary key, body ${text} not null, created_at bigint not null)`,
      'create index delivery_bodies_created on delivery_bodies (created_at, id)',
      `create table delivery_attempts (
         delivery_id ${text} not null, number integer not null, at bigint not null, status integer, error ${text},
         duration_ms integer not null, response ${text} not null, primary key (delivery_id, number))`,
    ],
  },
  {
    name: 'kernel-webhook-dispatches',
    up: ({ text }) => [
      `alter table deliveries add column owner_id ${text}`,
      `alter table deliveries add column details ${text}`,
      'create index deliveries_of_owner on deliveries (api, owner_id, seq) where owner_id is not null',
    ],
  },
  {
    name: 'kernel-webhook-attempt-details',
    up: ({ text }) => [`alter table delivery_attempts add column details ${text}`],
  },
  {
    name: 'kernel-webhook-attempt-phases',
    up: ({ text }) => [`alter table delivery_attempts add column phases ${text}`],
  },
];
