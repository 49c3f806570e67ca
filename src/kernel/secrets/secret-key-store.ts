// The key that encrypts stored secrets: its file, for servers whose settings have no key, and its fingerprint in the database, by which a node with another key adds none.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';
import { Failure } from '../failure.ts';
import { createPrivateFolder, keepPrivate, PRIVATE_FILE } from '../storage/disk/private-files.ts';

export const SECRET_KEY_FILE = 'secret.key';

/** Reads the key in the data folder. Creates it where there is none: other processes never see half of it. */
export function ensureSecretKeyFile(folder: string): string {
  const file = join(folder, SECRET_KEY_FILE);
  const known = readKey(file);
  if (known !== undefined) return known;
  createPrivateFolder(folder);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeDurably(draft, `${randomBytes(32).toString('base64url')}\n`);
    publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(file)!;
}

function readKey(file: string): string | undefined {
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure('invalid', `The key in ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  keepPrivate(file);
  if (key.length < 32) {
    throw new Failure('invalid', `The key in ${file} is damaged. Restore the file from a backup.`);
  }
  return key;
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', PRIVATE_FILE);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Gives the finished file its name, unless another process was faster. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    // The file system has no hard links.
    try {
      copyFileSync(draft, file, constants.COPYFILE_EXCL);
    } catch (again) {
      if (!hasCode(again, 'EEXIST')) throw again;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

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
