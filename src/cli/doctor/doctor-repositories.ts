// Doctor's checks of repositories and gists, with --repositories: their folders, every object in them, and what crashes have left.
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../app/config.ts';
import { findDamage } from '../../host/git/maintenance/check-objects.ts';
import { findGit } from '../../host/git/process/git-environment.ts';
import { GitProgram } from '../../host/git/process/git-process.ts';
import { findLeftovers, removeLeftovers } from '../../host/git/maintenance/leftovers.ts';
import { repositoryFolder, sweepTemporaryFolders } from '../../host/git/repository-folder.ts';
import {
  listCheckedGists,
  listCheckedRepositories,
  type CheckedRepository,
} from '../../host/maintenance/store.ts';
import { lockFolder } from '../../kernel/storage/disk/folder-lock.ts';
import { repositoriesFolderOf } from '../../app/data-places.ts';
import { messageOf } from '../command-errors.ts';
import type { DoctorFinding } from './doctor.ts';
import { copiesFolderOf } from '../import/repository/import-repo.ts';
import { Progress } from '../progress.ts';
import type { Io } from '../io.ts';
import { hasDatabase, withMigratedDatabase } from '../open-database.ts';

const PAGE = 500;
/** How many are listed by name. */
const MAX_LISTED = 5;
/** A temporary folder of this age was left behind by a crash. */
const STALE_MS = 60 * 60 * 1000;
const FOLDER = /^(\d+)\.git$/;
const SHARD = /^[0-9a-f]{2}$/;

/** Repositories and gists have a folder of numbers each. */
interface CheckedKind {
  /** The plural, for people. */
  name: string;
  one: string;
  root: string;
  list: typeof listCheckedRepositories;
}

/** One that has a row, with the folder that belongs to it. */
type CheckedRow = CheckedRepository & { folder: string };

interface CheckedRows {
  kind: CheckedKind;
  rows: CheckedRow[];
  present: CheckedRow[];
  /** Folders without a row. */
  unknown: number[];
}

export async function checkRepositories(config: Config, now: number, io: Io): Promise<DoctorFinding[]> {
  if (!hasDatabase(config)) return [];
  const root = repositoriesFolderOf(config);
  const kinds: CheckedKind[] = [
    { name: 'repositories', one: 'repository', root, list: listCheckedRepositories },
    { name: 'gists', one: 'gist', root: join(root, 'gists'), list: listCheckedGists },
  ];
  try {
    const checked: CheckedRows[] = [];
    for (const kind of kinds) checked.push(await readKind(config, kind));
    const present = checked.flatMap((kind) => kind.present);
    return [
      ...checked.flatMap((kind) => [checkRows(kind), ...checkFolders(kind)]),
      await checkObjects(present, io),
      ...(await checkLeftovers(
        config,
        present,
        kinds.map((kind) => kind.root),
        now,
      )),
    ];
  } catch (error) {
    return [{ name: 'repositories', state: 'fail', detail: messageOf(error) }];
  }
}

async function readKind(config: Config, kind: CheckedKind): Promise<CheckedRows> {
  // Before the rows, as a row comes before its folder.
  const folders = await listFolders(kind.root);
  const rows = await readRows(config, kind);
  const known = new Set(rows.map(({ number }) => number));
  const unknown = folders.filter(
    (number) => !known.has(number) && existsSync(repositoryFolder(kind.root, number)),
  );
  return { kind, rows, present: rows.filter(({ folder }) => existsSync(folder)), unknown };
}

async function readRows(config: Config, { root, list }: CheckedKind): Promise<CheckedRow[]> {
  return await withMigratedDatabase(config, async ({ db }) => {
    const rows: CheckedRow[] = [];
    for (;;) {
      const page = await list(db, rows.at(-1)?.number ?? 0, PAGE);
      rows.push(...page.map((row) => ({ ...row, folder: repositoryFolder(root, row.number) })));
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

function checkRows({ kind: { name }, rows, present }: CheckedRows): DoctorFinding {
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

function checkFolders({ kind: { one }, unknown }: CheckedRows): DoctorFinding[] {
  if (unknown.length === 0) return [];
  const folders = listed(unknown.map((number) => `${number}.git`));
  const detail = `${unknown.length} without a ${one} (${folders}): delete them, unless the database is older than they are`;
  return [{ name: `${one} folders`, state: 'warn', detail }];
}

/** One after the other: reading all objects takes what the disk can give. */
async function checkObjects(present: readonly CheckedRow[], io: Io): Promise<DoctorFinding> {
  const name = 'git objects';
  const installed = await findGit();
  if (installed?.isSupported !== true)
    return { name, state: 'warn', detail: 'not checked: that needs the program git, 2.38 or newer' };
  const program = new GitProgram(installed.path);
  const progress = new Progress(io);
  const damaged: string[] = [];
  let reason = '';
  try {
    for (const [index, { folder, fullName, isDeleted }] of present.entries()) {
      if (isDeleted) continue;
      progress.update(`Checking ${fullName} (${index + 1} of ${present.length})`);
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
  present: readonly CheckedRow[],
  roots: readonly string[],
  now: number,
): Promise<DoctorFinding[]> {
  const folders = present.map(({ folder }) => folder);
  let count = (await endedImports(config, now)).length;
  for (const root of roots) count += (await staleIn(join(root, 'tmp'), now)).length;
  for (const folder of folders) count += (await findLeftovers(folder, now)).length;
  const name = 'leftovers';
  if (count === 0) return [{ name, state: 'ok', detail: 'no old locks and temporary files in repositories' }];
  return [
    {
      name,
      state: 'warn',
      detail: `${count} old locks, temporary files and unfinished imports of processes that were killed: delete them`,
      async repair() {
        for (const root of roots) await sweepTemporaryFolders(root, now);
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
