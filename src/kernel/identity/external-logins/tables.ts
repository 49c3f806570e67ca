// The table of members' identities at an identity provider.
import type { Migration } from '../../storage/migrate.ts';

declare module '../../storage/tables.ts' {
  interface Tables {
    external_logins: {
      issuer: string;
      subject: string;
      member_id: string;
      /** As the provider named them when they were connected; for people to recognise it. */
      email: string | null;
      created_at: number;
    };
  }
}

export const externalLoginMigrations: Migration[] = [
  {
    name: 'kernel-identity-external-logins',
    up: ({ text }) => [
      `create table external_logins (
         issuer ${text} not null, subject ${text} not null, member_id ${text} not null references members (id),
         email ${text}, created_at bigint not null, primary key (issuer, subject), unique (member_id, issuer))`,
    ],
  },
];
