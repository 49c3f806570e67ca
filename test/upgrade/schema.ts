// Describes the tables of a database as text: columns with their types and collations, constraints, indexes and triggers.
import { sql } from 'kysely';
import type { Engine } from '../../src/kernel/storage/engine.ts';

/** Sorted lines that are equal only for equal schemas of one engine. */
export async function describeSchema(engine: Engine): Promise<string[]> {
  const { rows } = await (engine.kind === 'sqlite' ? sqliteLines : postgresLines).execute(engine.db);
  return rows.map(({ line }) => line.replaceAll(/\s+/g, ' ').trim()).sort();
}

/** SQLite stores the statements themselves. */
const sqliteLines = sql<{ line: string }>`select sql as line from sqlite_master where sql is not null`;

const postgresLines = sql<{ line: string }>`
  select 'column ' || table_name || ' ' || ordinal_position || ' ' || column_name || ' ' || data_type
    || case is_nullable when 'NO' then ' not null' else '' end
    || coalesce(' collate ' || collation_name, '') || coalesce(' default ' || column_default, '')
    || coalesce(' identity ' || identity_generation, '') as line
  from information_schema.columns where table_schema = current_schema()
  union all
  select 'constraint ' || conname || ' on ' || class.relname || ' ' || pg_get_constraintdef(pg_constraint.oid)
  from pg_constraint join pg_class as class on class.oid = conrelid
  where connamespace = current_schema()::regnamespace and contype <> 'n'
  union all
  select 'index ' || replace(indexdef, ' ON ' || schemaname || '.', ' ON ')
  from pg_indexes where schemaname = current_schema()`;
