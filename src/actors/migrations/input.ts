// The table of the keys that secret input fields are encrypted with.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const inputMigrations: Migration[] = [
  {
    name: 'actors-input-keys',
    up: ({ text }) => [
      `create table input_keys (
         user_id ${text} not null, actor_id ${text} not null references actors (id) on delete cascade,
         public_key ${text} not null, sealed_key ${text} not null, created_at bigint not null,
         primary key (user_id, actor_id))`,
      `create index input_keys_actor on input_keys (actor_id)`,
    ],
  },
];
