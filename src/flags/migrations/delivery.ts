// The tables from which each node learns what has changed in an environment since it last looked.
import { sql } from 'kysely';
import type { Migration } from '../../kernel/storage/migrate.ts';

export const deliveryFeedMigrations: Migration[] = [
  {
    name: 'flags-delivery-revisions',
    up: ({ text }) => [
      `create table delivery_revisions (
         environment_id ${text} primary key references environments (id) on delete cascade, revision bigint not null)`,
      `create table delivery_items (
         environment_id ${text} not null references environments (id) on delete cascade,
         kind ${text} not null, key ${text} not null, revision bigint not null,
         primary key (environment_id, kind, key))`,
      `create index delivery_items_revision on delivery_items (environment_id, revision)`,
    ],
    // Revisions used to be the sum of all versions: they go on from there, because SDKs ignore older versions.
    async fill(tx) {
      await sql`
        insert into delivery_revisions (environment_id, revision)
        select environments.id,
          (select coalesce(sum(version), 0) from flags where flags.project_id = environments.project_id) +
          (select coalesce(sum(version), 0) from flag_graves
            where flag_graves.project_id = environments.project_id) +
          (select coalesce(sum(version), 0) from segments where segments.environment_id = environments.id) +
          (select coalesce(sum(version), 0) from segment_graves
            where segment_graves.environment_id = environments.id) + 1
        from environments`.execute(tx);
    },
  },
  {
    name: 'flags-delivery-result-versions',
    // Versions of results used to be the revision of the environment: they go on from there.
    up: () => [
      `insert into delivery_items (environment_id, kind, key, revision)
       select environment_id, 'environment', '', revision from delivery_revisions where true
       on conflict (environment_id, kind, key) do update set revision = excluded.revision`,
    ],
  },
];
