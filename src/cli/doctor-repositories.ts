// Doctor's checks of repositories, with --repositories: their folders, every object in them, and what crashes have left.
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { findDamage } from '../host/git/check-objects.ts';
import { findGit } from '../host/git/find-git.ts';
import { GitProgram } from '../host/git/git-process.ts';
import { findLeftovers, removeLeftovers } from '../host/git/leftovers.ts';
import { repositoryFolder, sweepTemporaryFolders } from '../host/git/repository-folder.ts';
import { listCheckedRepositories, type CheckedRepository } from '../host/maintenance/store.ts';
import { lockFolder } from '../kernel/storage/folder-lock.ts';
import { repositoriesFolderOf } from '../repositories-folder.ts';
import { messageOf } from './command-errors.ts';
import type { DoctorFinding } from './doctor.ts';
import { copiesFolderOf } from './import-repo.ts';
import { ImportProgress } from './import/import-progress.ts';
import type { Io } from './io.ts';
import { hasDatabase, withMigratedDatabase } from './open-database.ts';

const PAGE = 500;
/** How many are listed by name. */
const MAX_LISTED = 5;
/** A temporary folder of this age was left behind by a crash. */
const STALE_MS = 60 * 60 * 1000;
const FOLDER = /^(\d+)\.git$/;
const SHARD = /^[0-9a-f]{2}$/;

export async function checkRepositories(config: Config, now: number, io: Io): Promise<DoctorFinding[]> {
  const name = 'repositories';
  if (!hasDatabase(config)) return [];
  const root = repositoriesFolderOf(config);
  try {
    // Before the rows, as a row comes before its folder.
    const folders = await listFolders(root);
    const rows = await readRows(config);
    const known = new Set(rows.map(({ number }) => number));
    const unknown = folders.filter(
      (number) => !known.has(number) && existsSync(repositoryFolder(root, number)),
    );
    const present = rows.filter(({ number }) => existsSync(repositoryFolder(root, number)));
    return [
      checkRows(rows, present),
      ...checkFolders(unknown),
      await checkObjects(root, present, io),
      ...(await checkLeftovers(config, present, now)),
    ];
  } catch (error) {
    return [{ name, state: 'fail', detail: messageOf(error) }];
  }
}

async function readRows(config: Config): Promise<CheckedRepository[]> {
  return await withMigratedDatabase(config, async ({ db }) => {
    const rows: CheckedRepository[] = [];
    for (;;) {
      const page = await listCheckedRepositories(db, rows.at(-1)?.number ?? 0, PAGE);
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  });
}

/** The numbers of the folders that are there. */
async function listFolders(root: string): Promise<number[]> {
  const numbers: number[] = [];
  for (const shard of (await namesIn(root)).filter((name) => SHARD.test(name)))
    for (const name of await namesIn(join(root, shard))) {
      const [, number] = FOLDER.exec(name) ?? [];
      if (number !== undefined) numbers.push(Number(number));
    }
  return numbers;
}

function checkRows(rows: readonly CheckedRepository[], present: readonly CheckedRepository[]): DoctorFinding {
  const name = 'repositories';
  const there = new Set(present);
  const missing = rows.filter((row) => !row.isDeleted && !there.has(row));
  if (missing.length === 0) return { name, state: 'ok', detail: `${rows.length}, each with its folder` };
  const lost = missing.filter(({ sizeKb }) => sizeKb > 0);
  if (lost.length === 0) {
    const detail = `${missing.length} without a folder (${namesOf(missing)}): they are empty, or being copied`;
    return { name, state: 'warn', detail };
  }
  const detail =
    `${lost.length} of ${rows.length} have lost their folder (${namesOf(lost)}): ` +
    'take it from a backup; until then they are shown as empty';
  return { name, state: 'fail', detail };
}

function checkFolders(unknown: readonly number[]): DoctorFinding[] {
  if (unknown.length === 0) return [];
  const folders = listed(unknown.map((number) => `${number}.git`));
  const detail = `${unknown.length} without a repository (${folders}): delete them, unless the database is older than they are`;
  return [{ name: 'repository folders', state: 'warn', detail }];
}

/** One after the other: reading all objects takes what the disk can give. */
async function checkObjects(
  root: string,
  present: readonly CheckedRepository[],
  io: Io,
): Promise<DoctorFinding> {
  const name = 'git objects';
  const installed = await findGit();
  if (installed?.isSupported !== true)
    return { name, state: 'warn', detail: 'not checked: that needs the program git, 2.38 or newer' };
  const program = new GitProgram(installed.path);
  const progress = new ImportProgress(io);
  const damaged: string[] = [];
  let reason = '';
  try {
    for (const [index, { number, fullName, isDeleted }] of present.entries()) {
      if (isDeleted) continue;
      progress.update(`Checking ${fullName} (${index + 1} of ${present.length})`);
      const folder = repositoryFolder(root, number);
      const damage = await findDamage({ program, folder });
      // It may have been deleted meanwhile.
      if (damage === undefined || !existsSync(folder)) continue;
      if (damaged.length === 0) reason = damage;
      damaged.push(fullName);
    }
  } finally {
    progress.end();
    await program.close();
  }
  if (damaged.length === 0)
    return { name, state: 'ok', detail: `all objects of ${present.length} repositories are whole` };
  const detail = `${damaged.length} of ${present.length} repositories are damaged (${listed(damaged)}; the first: ${reason}): take their folders from a backup, or push again from a clone that has everything, and check the disk`;
  return { name, state: 'fail', detail };
}

async function checkLeftovers(
  config: Config,
  present: readonly CheckedRepository[],
  now: number,
): Promise<DoctorFinding[]> {
  const root = repositoriesFolderOf(config);
  const folders = present.map(({ number }) => repositoryFolder(root, number));
  const stale = [...(await staleIn(join(root, 'tmp'), now)), ...(await endedImports(config, now))];
  let count = stale.length;
  for (const folder of folders) count += (await findLeftovers(folder, now)).length;
  const name = 'leftovers';
  if (count === 0) return [{ name, state: 'ok', detail: 'no old locks and temporary files in repositories' }];
  return [
    {
      name,
      state: 'warn',
      detail: `${count} old locks, temporary files and unfinished imports of processes that were killed: delete them`,
      async repair() {
        await sweepTemporaryFolders(root, now);
        for (const folder of await endedImports(config, now))
          await rm(folder, { recursive: true, force: true });
        for (const folder of folders) await removeLeftovers(folder, now);
        return `${count} deleted`;
      },
    },
  ];
}

/** Those that were killed: a running import holds the lock of its folder. */
async function endedImports(config: Config, now: number): Promise<string[]> {
  const ended: string[] = [];
  for (const folder of await staleIn(copiesFolderOf(config), now)) {
    const lock = await lockFolder(folder, { waitMs: 0 }).catch(() => undefined);
    if (lock === undefined) continue;
    lock.release();
    ended.push(folder);
  }
  return ended;
}

async function staleIn(folder: string, now: number): Promise<string[]> {
  const stale: string[] = [];
  for (const name of await namesIn(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.ctimeMs < now - STALE_MS) stale.push(join(folder, name));
  }
  return stale;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

function namesOf(rows: readonly CheckedRepository[]): string {
  return listed(rows.map(({ fullName }) => fullName));
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : '';
  return names.slice(0, MAX_LISTED).join(', ') + more;
}
