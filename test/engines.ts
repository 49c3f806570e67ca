// Declares a suite once for each storage engine, on new databases that are deleted afterwards.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import type { Engine, Log } from '../src/kernel/storage/engine.ts';
import { migrate } from '../src/kernel/storage/migrate.ts';
import type { Migration } from '../src/kernel/storage/migrate.ts';
import { openPostgres } from '../src/kernel/storage/postgres/postgres.ts';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';
import { startPostgres } from './postgres.ts';
import { createTemplate, dropTemplate, inDatabase, migratedFile, query } from './templates.ts';

/** The location of a database: a SQLite file or a PostgreSQL URL, which can be passed to a child process. */
export type Location = string;

export interface TestEngine {
  kind: Engine['kind'];
  /** A new, empty database. */
  database(): Promise<Location>;
  /** A new database with all tables of the program: a copy, because creating the tables takes ten times as long. */
  migratedDatabase(): Promise<Location>;
  /** Opens this database or a new one; it is closed after the suite if the test has not done so. */
  open(migrations?: readonly Migration[], location?: Location): Promise<Engine>;
  /** Opens a new database with all tables of the program: cheaper than `open` with the migrations of a whole API. */
  openMigrated(): Promise<Engine>;
  /** A new folder. It is removed after the suite, when the processes that write into it have ended: hooks of a test run in the order of declaration. */
  folder(): Promise<string>;
}

export function openEngine(location: Location, log?: Log): Promise<Engine> {
  return location.startsWith('postgres')
    ? openPostgres({ url: location, ...(log && { log }) })
    : openSqlite({ file: location, ...(log && { log }) });
}

/** On both, unless the run leaves one of them out for this file (`quick-run.ts`). */
export function onEachEngine(declare: (engine: TestEngine) => void): void {
  const only = process.env['SIGNALBOX_TEST_ENGINES'];
  if (only !== 'postgres') onEngine('sqlite', declare);
  if (only !== 'sqlite') onEngine('postgres', declare);
}

export function onEngine(kind: Engine['kind'], declare: (engine: TestEngine) => void): void {
  describe(kind, () => {
    const cleanups: Cleanup[] = [];
    declare(testEngine(kind, cleanups));
    // Hooks run in the order of declaration, so the suite's own have already stopped its servers.
    after(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });
  });
}

type Cleanup = () => Promise<unknown>;

function testEngine(kind: Engine['kind'], cleanups: Cleanup[]): TestEngine {
  const fresh = kind === 'sqlite' ? freshFile : freshSchema;
  let template: Promise<string> | undefined;
  const migratedDatabase = async () => {
    if (kind === 'sqlite') {
      const file = await freshFile(cleanups);
      await writeFile(file, await migratedFile());
      return file;
    }
    return copyOf(await (template ??= templateDatabase(cleanups)), cleanups);
  };
  const open: TestEngine['open'] = async (migrations = [], location) => {
    const engine = await openEngine(location ?? (await fresh(cleanups)));
    cleanups.push(() => engine.close());
    if (migrations.length > 0) await migrate(engine, migrations, 0);
    return engine;
  };
  return {
    kind,
    database: () => fresh(cleanups),
    migratedDatabase,
    open,
    openMigrated: async () => open([], await migratedDatabase()),
    folder: () => freshFolder(cleanups),
  };
}

async function freshFile(cleanups: Cleanup[]): Promise<Location> {
  return join(await freshFolder(cleanups), 'signalbox.db');
}

async function freshFolder(cleanups: Cleanup[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  // The programs of a killed server may outlive it for a moment, and write.
  cleanups.push(() => rm(folder, { recursive: true, maxRetries: 10 }));
  return folder;
}

/** A schema stands for a database, because creating one takes only a millisecond. */
async function freshSchema(cleanups: Cleanup[]): Promise<Location> {
  const url = await postgresUrl();
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await query(url, `create schema ${schema}`);
  cleanups.push(() => query(url, `drop schema ${schema} cascade`));
  return `${url}${url.includes('?') ? '&' : '?'}options=-c%20search_path%3D${schema}`;
}

async function copyOf(template: string, cleanups: Cleanup[]): Promise<Location> {
  const url = await postgresUrl();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copying files takes a third of the time of the default strategy, which logs every page.
  await query(url, `create database ${name} template ${template} strategy file_copy`);
  cleanups.push(() => query(url, `drop database ${name} with (force)`));
  return inDatabase(url, name);
}

/** The test run creates one for all files. */
async function templateDatabase(cleanups: Cleanup[]): Promise<string> {
  const given = process.env['SIGNALBOX_TEST_TEMPLATE'];
  if (given) return given;
  const url = await postgresUrl();
  const name = await createTemplate(url);
  cleanups.push(() => dropTemplate(url, name));
  return name;
}

let started: Promise<{ url: string }> | undefined;

/** The test run starts one server for all files; a file that runs alone starts its own. */
async function postgresUrl(): Promise<string> {
  if (process.env['DATABASE_URL']) return process.env['DATABASE_URL'];
  const { url } = await (started ??= startPostgres());
  return url;
}
