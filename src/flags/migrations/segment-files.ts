// The tables of imports and exports of big segments.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const segmentFileMigrations: Migration[] = [
  {
    name: 'flags-segment-files',
    up: ({ text }) => [
      `alter table segments add column importing ${text}`,
      `alter table segment_members add column mark integer not null default 0`,
      `create table segment_imports (
         id ${text} primary key, segment_id ${text} not null references segments (id) on delete cascade,
         number integer not null, mode ${text} not null, status ${text} not null, is_waiting integer not null,
         filename ${text}, size bigint not null, is_typed integer not null, taken_bytes bigint not null,
         key_count bigint not null, processed_count bigint not null, changed_count bigint not null,
         removed_count bigint not null, removed_to ${text}, message ${text}, comment ${text}, doer ${text} not null,
         created_at bigint not null, unique (segment_id, number))`,
      `create table segment_exports (
         id ${text} primary key, segment_id ${text} not null references segments (id) on delete cascade,
         status ${text} not null, size bigint not null, member_id ${text} not null, created_at bigint not null)`,
      `create index segment_exports_segment on segment_exports (segment_id, created_at, id)`,
    ],
  },
];
