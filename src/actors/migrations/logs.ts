// The tables of logs.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const logMigrations: Migration[] = [
  {
    name: 'actors-logs',
    up: ({ text, bytes }) => [
      `create table logs (
         id ${text} primary key, user_id ${text} not null, is_ended integer not null, is_packed integer not null,
         total_bytes bigint not null, blob ${text}, blob_bytes bigint not null, head_bytes bigint not null,
         created_at bigint not null)`,
      `create table log_chunks (
         log_id ${text} not null references logs (id) on delete cascade, at bigint not null, content ${bytes} not null,
         primary key (log_id, at))`,
      // How much of each file has been stored. A run that migrates has a file on each node.
      `create table log_files (
         log_id ${text} not null references logs (id) on delete cascade, file ${text} not null, position bigint not null,
         primary key (log_id, file))`,
      `create index logs_blob on logs (blob) where blob is not null`,
      `create index logs_not_packed on logs (id) where is_packed = 0`,
    ],
  },
  {
    // Rows from before have no numbers of lines: theirs are counted when somebody reads them by lines.
    name: 'actors-logs-lines',
    up: ({ text }) => [
      `alter table logs add column total_lines bigint`,
      `alter table logs add column line_index ${text}`,
      `alter table log_chunks add column first_line bigint`,
      `create index log_chunks_lines on log_chunks (log_id, first_line)`,
    ],
  },
];
