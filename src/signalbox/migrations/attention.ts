// What members have snoozed, and an index that the list of what needs attention reads.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const attentionMigrations: Migration[] = [
  {
    name: 'signalbox-attention',
    up: ({ text }) => [
      `create table attention_snoozes (
         member_id ${text} not null references members (id) on delete cascade, id ${text} not null,
         until bigint not null, primary key (member_id, id))`,
      `create index attention_snoozes_until on attention_snoozes (until)`,
      `create index scheduled_changes_pending on scheduled_changes (execution_at, id) where status = 'pending'`,
    ],
  },
];
