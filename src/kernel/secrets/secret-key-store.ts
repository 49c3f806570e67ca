// The fingerprint of the key that encrypts this database's secrets: a node with another key must not add any.
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    /** One row, once a secret is stored. */
    secret_key: { id: number; fingerprint: string };
  }
}

export const secretKeyMigrations: Migration[] = [
  {
    name: 'kernel-secret-key',
    up: ({ text }) => [
      `create table secret_key (id integer primary key check (id = 1), fingerprint ${text} not null)`,
    ],
  },
];

export async function findKeyFingerprint(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('secret_key').select('fingerprint').executeTakeFirst();
  return row?.fingerprint;
}

/** Stores it unless there is one, and returns the one that is there. */
export async function claimKeyFingerprint(db: Db, fingerprint: string): Promise<string> {
  await db
    .insertInto('secret_key')
    .values({ id: 1, fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findKeyFingerprint(db))!;
}
