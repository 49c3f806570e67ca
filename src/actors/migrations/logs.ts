// The tables of logs.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const logMigrations: Migration[] = [
  {
    name: 'actors-logs',
    up: ({ text, bytes }) => [
      `create table logs (
         id ${text} primary key, user_id ${text} not null, is_ended integer not null, size bigint not null,
         cut_bytes bigint not null, next_seq integer not null, blob ${text}, created_at bigint not null)`,
      `create table log_chunks (
         log_id ${text} not null references logs (id) on delete cascade, seq integer not null, content ${bytes} not null,
         primary key (log_id, seq))`,
      // How much of each file has been stored. A run that migrates has a file on each node.
      `create table log_files (
         log_id ${text} not null references logs (id) on delete cascade, file ${text} not null, position bigint not null,
         primary key (log_id, file))`,
      `create index logs_blob on logs (blob) where blob is not null`,
    ],
  },
];
