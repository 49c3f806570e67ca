// The table of default setups of code scanning.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const codeScanningSetupMigrations: Migration[] = [
  {
    name: 'host-code-scanning-setups',
    up: ({ text }) => [
      `create table code_scanning_setups (
         repository_number bigint primary key references repositories (number) on delete cascade,
         setup ${text} not null, pending ${text}, updated_at bigint)`,
    ],
  },
];
