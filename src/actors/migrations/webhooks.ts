// The table of webhooks.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const actorWebhookMigrations: Migration[] = [
  {
    name: 'actors-webhooks',
    up: ({ text }) => [
      `create table actor_webhooks (
         id ${text} primary key, user_id ${text} not null, target_kind ${text} not null, target_id ${text} not null,
         parent_run_id ${text}, is_ad_hoc integer not null, is_enabled integer not null, event_types ${text} not null,
         request_url ${text} not null, payload_template ${text}, headers_template ${text}, interpolates_strings integer not null,
         ignores_ssl_errors integer not null, does_not_retry integer not null, description ${text}, idempotency_key ${text},
         maker ${text} not null, total_dispatches bigint not null, last_dispatch_id ${text}, last_dispatch_status ${text},
         last_dispatch_finished_at bigint, created_at bigint not null, modified_at bigint not null)`,
      // For every event of a run or build; the ids of Actors, tasks and runs are all different.
      `create index actor_webhooks_of_target on actor_webhooks (target_id, user_id)`,
      `create index actor_webhooks_of_user on actor_webhooks (user_id, is_ad_hoc, created_at, id)`,
      `create unique index actor_webhooks_key on actor_webhooks (user_id, idempotency_key) where idempotency_key is not null`,
    ],
  },
  {
    // For the list of all of an account, with ad-hoc ones.
    name: 'actors-webhooks-by-time',
    up: () => [`create index actor_webhooks_by_time on actor_webhooks (user_id, created_at, id)`],
  },
];
