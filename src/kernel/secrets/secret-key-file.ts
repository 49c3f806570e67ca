// The file with the key that encrypts stored secrets, for servers whose settings have no key.
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
