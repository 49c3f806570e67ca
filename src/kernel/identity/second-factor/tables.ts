// The tables of second factors and recovery codes.
import type { Migration } from '../../storage/migrate.ts';

declare module '../../storage/tables.ts' {
  interface Tables {
    second_factors: {
      member_id: string;
      /** Sealed by the server's key. */
      secret: string;
      /** Of the code that was used last: none is taken twice. */
      last_step: number;
      created_at: number;
      /** Null until a code has shown that the app has the secret. */
      confirmed_at: number | null;
    };
    recovery_codes: { member_id: string; hash: string };
  }
}

export const secondFactorMigrations: Migration[] = [
  {
    name: 'kernel-identity-second-factors',
    up: ({ text }) => [
      `create table second_factors (
         member_id ${text} primary key references members (id), secret ${text} not null, last_step bigint not null,
         created_at bigint not null, confirmed_at bigint)`,
      `create table recovery_codes (
         member_id ${text} not null references members (id), hash ${text} not null, primary key (member_id, hash))`,
    ],
  },
];
