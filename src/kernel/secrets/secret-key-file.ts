// The file of the keys that encrypt stored secrets, for servers whose settings have none: one on each line, the newest first.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { createPrivateFolder, keepPrivate, PRIVATE_FILE } from '../storage/disk/private-files.ts';

export const SECRET_KEY_FILE = 'secret.key';

const MIN_LENGTH = 32;
/** More than anybody changes keys before the older ones are removed. */
const MAX_KEYS = 16;

/** Reads the keys in the data folder. Creates one where there is none: other processes never see half of it. */
export function ensureSecretKeyFile(folder: string): string[] {
  const file = join(folder, SECRET_KEY_FILE);
  const known = readSecretKeyFile(file);
  if (known !== undefined) return known;
  createPrivateFolder(folder);
  const draft = draftOf(file);
  try {
    writeDurably(draft, `${newSecretKey()}\n`);
    publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecretKeyFile(file)!;
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64url');
}

function draftOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}`;
}

/** Undefined where there is no file. */
export function readSecretKeyFile(file: string): string[] | undefined {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure('invalid', `The key in ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  keepPrivate(file);
  return parseSecretKeys(content, file);
}

/** One on each line, the newest first. */
export function parseSecretKeys(content: string, source: string): string[] {
  const keys = content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (keys.length === 0 || keys.some((key) => key.length < MIN_LENGTH))
    throw new Failure('invalid', `The key in ${source} is damaged. Restore the file from a backup.`);
  if (keys.length > MAX_KEYS)
    throw new Failure('invalid', `There are more than ${MAX_KEYS} keys in ${source}: remove the oldest.`);
  return [...new Set(keys)];
}

/** Replaces them as a whole: a reader sees the old ones or the new ones. */
export function writeSecretKeyFile(file: string, keys: readonly string[]): void {
  const draft = draftOf(file);
  try {
    writeDurably(draft, `${keys.join('\n')}\n`);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
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
