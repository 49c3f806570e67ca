// Databases with all tables of the program, created once; test servers start on copies of them.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Engine } from '../src/kernel/storage/engine.ts';
import { migrate } from '../src/kernel/storage/migrate.ts';
import { openPostgres } from '../src/kernel/storage/postgres/postgres.ts';
import { openSqlite } from '../src/kernel/storage/sqlite/sqlite.ts';

let sqlite: Promise<Buffer> | undefined;

/** The bytes of a SQLite file. The test run creates one for all files; otherwise it is created once per process. */
export function migratedFile(): Promise<Buffer> {
  const given = process.env['SIGNALBOX_TEST_TEMPLATE_FILE'];
  return (sqlite ??= given ? readFile(given) : migrateFile());
}

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-template-'));
  try {
    const file = join(folder, 'signalbox.db');
    await migrateAll(await openSqlite({ file }));
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Creates a template database on the same PostgreSQL, and returns its name. */
export async function createTemplate(url: string): Promise<string> {
  const name = `template_${randomUUID().replaceAll('-', '')}`;
  await query(url, `create database ${name}`);
  await migrateAll(await openPostgres({ url: inDatabase(url, name) }));
  return name;
}

export async function dropTemplate(url: string, name: string): Promise<void> {
  await query(url, `drop database ${name} with (force)`);
}

export function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

export async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

async function migrateAll(engine: Engine): Promise<void> {
  // Imported lazily: tests of single stores do not load the whole program.
  const { migrations } = await import('../src/app/apis.ts');
  await migrate(engine, migrations, 0);
  await engine.close();
}
