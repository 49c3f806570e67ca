// The mark of a restore that has begun and not ended: no server starts on such a data folder.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import { PRIVATE_FILE } from '../../kernel/storage/disk/private-files.ts';

export interface RestoreMark {
  /** The id of the backup, and where it is. */
  backup: string;
  from: string;
  /** The other files of the place were there before. */
  isRowsOnly?: true;
  /** What was typed: `import data`, unless it was `restore`. */
  command?: string;
  /** Whether it goes into a database that is named by a URL. */
  isShared?: boolean;
}

const FILE = 'restoring.json';

export function readRestoreMark(data: string): RestoreMark | undefined {
  try {
    return JSON.parse(readFileSync(join(data, FILE), 'utf8')) as RestoreMark;
  } catch {
    return undefined;
  }
}

export function writeRestoreMark(data: string, mark: RestoreMark): void {
  writeFileSync(join(data, FILE), `${JSON.stringify(mark)}\n`, { mode: PRIVATE_FILE, flush: true });
}

export function removeRestoreMark(data: string): void {
  rmSync(join(data, FILE), { force: true });
}

/** The URL of a database is left to the person: it may have a password. */
export function commandToGoOn({ from, command = 'restore', isShared }: RestoreMark, data: string): string {
  return `${command} ${quote(from)} ${describeFlags(data, isShared === true)}`;
}

export function describeFlags(data: string, isShared: boolean): string {
  return `--data ${quote(data)}${isShared ? ' --database URL' : ''}`;
}

/** What is copied into a shell must be the name that it was. */
function quote(path: string): string {
  return /^[\w:/.@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

export function refuseHalfRestored(data: string, program: string): void {
  const mark = readRestoreMark(data);
  if (mark !== undefined)
    throw new Failure(
      'conflict',
      `A restore into ${data} was interrupted. Go on with "${program} ${commandToGoOn(mark, data)}".`,
    );
}
