// The table that datasets, key-value stores and request queues share.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const storageMigrations: Migration[] = [
  {
    name: 'actors-storages',
    up: ({ text }) => [
      `create table storages (
         id ${text} primary key, kind ${text} not null, user_id ${text} not null, name ${text}, title ${text},
         general_access ${text} not null, secret ${text} not null, schema ${text}, act_id ${text}, act_run_id ${text},
         created_at bigint not null, modified_at bigint not null, accessed_at bigint not null)`,
      `create unique index storages_name on storages (user_id, kind, name) where name is not null`,
      `create index storages_created on storages (user_id, kind, created_at, id)`,
      `create index storages_named on storages (user_id, kind, created_at, id) where name is not null`,
      `create index storages_unnamed on storages (accessed_at) where name is null`,
    ],
  },
  {
    name: 'actors-storages-folded-names',
    // Not unique: earlier releases allowed names that differ only in case, and those stay.
    up: () => [
      `create index storages_folded_name on storages (user_id, kind, lower(name)) where name is not null`,
    ],
  },
  {
    name: 'actors-storages-charged-items',
    up: () => ['alter table storages add column charges_items integer not null default 0'],
  },
];
