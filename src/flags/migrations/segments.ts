// The tables of segments, members of big segments, and segments used by flags.
import { fillSortNames, type Migration } from '../../kernel/storage/migrate.ts';

export const segmentMigrations: Migration[] = [
  {
    name: 'flags-segments',
    up: ({ text }) => [
      `create table segments (
         id ${text} primary key, environment_id ${text} not null references environments (id) on delete cascade,
         key ${text} not null, name ${text} not null, words ${text} not null, tags ${text} not null,
         is_unbounded integer not null, included_count bigint not null, excluded_count bigint not null,
         version integer not null, generation integer not null, created_at bigint not null,
         modified_at bigint not null, doc ${text} not null, unique (environment_id, key))`,
      `create index segments_created on segments (environment_id, created_at, id)`,
      `create index segments_name on segments (environment_id, name, id)`,
      `create index segments_modified on segments (environment_id, modified_at, id)`,
      `create table segment_graves (
         environment_id ${text} not null references environments (id) on delete cascade,
         key ${text} not null, version integer not null, generation integer not null,
         primary key (environment_id, key))`,
      // No foreign key to the segment: a deletion would cascade to millions of rows. A recurring task deletes them in
      // batches.
      `create table segment_members (
         segment_id ${text} not null, context_key ${text} not null, is_included integer not null,
         primary key (segment_id, context_key))`,
      `create table segment_uses (
         environment_id ${text} not null references environments (id) on delete cascade,
         segment_key ${text} not null, flag_id ${text} not null references flags (id) on delete cascade,
         primary key (environment_id, segment_key, flag_id))`,
      `create index segment_uses_flag on segment_uses (flag_id, environment_id)`,
    ],
  },
  {
    name: 'flags-segments-sort-names',
    up: ({ text }) => [
      `alter table segments add column sort_name ${text} not null default ''`,
      `update segments set sort_name = lower(name)`,
      `drop index segments_name`,
      `create index segments_sort_name on segments (environment_id, sort_name, id)`,
    ],
    fill: (tx) => fillSortNames(tx, 'segments', 'name'),
  },
];
