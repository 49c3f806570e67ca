// The tables of flags, their configurations per environment, tags, prerequisites and usage.
import { fillSortNames, type Migration } from '../../kernel/storage/migrate.ts';

/** Each sorting index ends with the filter columns, so that filtered lists read no table rows that they discard. */
const FILTERS = 'no, state, is_temporary, availability, maintainer_id, maintainer_team, words';

export const featureFlagMigrations: Migration[] = [
  {
    name: 'flags-feature-flags',
    up: ({ serial, text }) => [
      `create table flags (
         no ${serial}, id ${text} not null unique, project_id ${text} not null references projects (id) on delete cascade,
         key ${text} not null, name ${text} not null, words ${text} not null, tags ${text} not null,
         is_temporary integer not null, state ${text} not null, availability integer not null,
         maintainer_id ${text}, maintainer_team ${text}, version integer not null, created_at bigint not null,
         doc ${text} not null, unique (project_id, key))`,
      `create index flags_created on flags (project_id, created_at, id, ${FILTERS})`,
      `create index flags_name on flags (project_id, name, id, created_at, ${FILTERS})`,
      `create index flags_key on flags (project_id, key, id, created_at, ${FILTERS})`,
      `create index flags_type on flags (project_id, is_temporary, id)`,
      `create index flags_maintainer on flags (project_id, coalesce(maintainer_id, ''), id)`,
      // Truncated, because PostgreSQL cannot index long texts.
      `create index flags_tags on flags (project_id, substr(tags, 1, 200), id)`,
      `create table flag_configs (
         flag_id ${text} not null references flags (id) on delete cascade,
         environment_id ${text} not null references environments (id) on delete cascade,
         is_on integer not null, version integer not null, modified_at bigint not null,
         head ${text} not null, doc ${text} not null, primary key (flag_id, environment_id))`,
      `create index flag_configs_environment on flag_configs (environment_id, flag_id)`,
      `create index flag_configs_modified on flag_configs (environment_id, modified_at, flag_id)`,
      // By number, because comparing thousands of long ids is slow.
      `create table flag_tags (
         project_id ${text} not null references projects (id) on delete cascade, tag ${text} not null,
         flag_no bigint not null, flag_id ${text} not null references flags (id) on delete cascade,
         primary key (project_id, tag, flag_no))`,
      `create index flag_tags_flag on flag_tags (flag_id)`,
      `create table flag_prerequisites (
         flag_id ${text} not null references flags (id) on delete cascade,
         environment_id ${text} not null references environments (id) on delete cascade,
         needs_id ${text} not null references flags (id) on delete cascade,
         variation integer not null, primary key (flag_id, environment_id, needs_id))`,
      `create index flag_prerequisites_needs on flag_prerequisites (needs_id, environment_id, flag_id)`,
      `create index flag_prerequisites_environment on flag_prerequisites (environment_id, flag_id)`,
      `create table flag_usage (
         environment_id ${text} not null references environments (id) on delete cascade,
         flag_id ${text} not null references flags (id) on delete cascade,
         last_requested_at bigint not null, last_default ${text}, primary key (environment_id, flag_id))`,
      `create index flag_usage_flag on flag_usage (flag_id)`,
      `create table flag_graves (
         project_id ${text} not null references projects (id) on delete cascade,
         key ${text} not null, version integer not null, primary key (project_id, key))`,
    ],
  },
  {
    name: 'flags-feature-flags-sort-names',
    up: ({ text }) => [
      `alter table flags add column sort_name ${text} not null default ''`,
      `alter table flags add column purpose ${text}`,
      `update flags set sort_name = lower(name)`,
      `drop index flags_name`,
      `create index flags_sort_name on flags (project_id, sort_name, id, created_at, ${FILTERS})`,
      `create index flags_purpose on flags (project_id, purpose, id) where purpose is not null`,
    ],
    async fill(tx) {
      await fillSortNames(tx, 'flags', 'name');
      for (const purpose of ['migration', 'holdout'])
        await tx
          .updateTable('flags')
          .set({ purpose })
          .where('doc', 'like', `%"purpose":"${purpose}"%`)
          .execute();
    },
  },
];
