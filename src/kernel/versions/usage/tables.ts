// The tables of the calls that a newer version would change: one row for each caller and operation, and one for each effect.
import type { Migration } from '../../storage/migrate.ts';

declare module '../../storage/tables.ts' {
  interface Tables {
    version_usage: UsageKeyColumns & {
      kind: string;
      /** The member whose token or session it is; null for callers without a credential and for programs. */
      member_id: string | null;
      /** The first version that changes the operation for this caller. */
      changed_in: string;
      calls: number;
      first_at: number;
      last_at: number;
      /** When somebody marked the calls as mended; those that come later are not. */
      done_at: number | null;
      /** The id of the member. */
      done_by: string | null;
    };
    version_usage_effects: UsageKeyColumns & { effect: string; calls: number; last_at: number };
  }
}

interface UsageKeyColumns {
  /** The id of a token, a member or a program; empty for callers without a credential. */
  caller: string;
  api: string;
  version: string;
  /** Empty where the call asked for none. */
  variant: string;
  /** Empty in the row that counts calls which were not recorded. */
  operation: string;
}

const KEY = 'caller, api, version, variant, operation';
const ORDER = 'caller, version, variant, operation';

export const versionUsageMigrations: Migration[] = [
  {
    name: 'kernel-version-usage',
    up: ({ text }) => [
      `create table version_usage (
         caller ${text} not null, api ${text} not null, version ${text} not null, variant ${text} not null,
         operation ${text} not null, kind ${text} not null, member_id ${text}, changed_in ${text} not null,
         calls bigint not null, first_at bigint not null, last_at bigint not null, primary key (${KEY}))`,
      `create index version_usage_calls on version_usage (api, calls desc, ${ORDER})`,
      `create index version_usage_of_caller on version_usage (api, caller, calls desc, version, variant, operation)`,
      `create index version_usage_of_member on version_usage
         (api, member_id, calls desc, ${ORDER})`,
      `create index version_usage_seen on version_usage (last_at)`,
      `create table version_usage_effects (
         caller ${text} not null, api ${text} not null, version ${text} not null, variant ${text} not null,
         operation ${text} not null, effect ${text} not null, calls bigint not null, last_at bigint not null,
         primary key (${KEY}, effect))`,
    ],
  },
  {
    name: 'kernel-version-usage-done',
    up: ({ text }) => [
      'alter table version_usage add column done_at bigint',
      `alter table version_usage add column done_by ${text}`,
    ],
  },
];
