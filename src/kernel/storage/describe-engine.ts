// What a running database says of itself, without reading what is in it.
import { sql } from 'kysely';
import { checkEngine, type EngineFinding } from './check-engine.ts';
import type { Engine } from './engine.ts';

export interface EngineDescription {
  engine: Engine['kind'];
  /** As people write it. */
  name: string;
  version: string;
  /** On disk, without a journal. */
  bytes: number;
  /** Of an old server, or of clocks that differ. */
  findings: EngineFinding[];
}

export async function describeEngine(engine: Engine): Promise<EngineDescription> {
  const { kind } = engine;
  return kind === 'sqlite' ? await describeSqlite(engine) : await describePostgres(engine);
}

/** A built query, because the driver sends raw ones to the writer. Whether the file is damaged takes long to find out. */
async function describeSqlite({ kind, db }: Engine): Promise<EngineDescription> {
  const own = sql<{ version: string; bytes: number }>`(
    select sqlite_version() as version, page_count * page_size as bytes from pragma_page_count(), pragma_page_size())`;
  const { version, bytes } = await db.selectFrom(own.as('own')).selectAll().executeTakeFirstOrThrow();
  return { engine: kind, name: 'SQLite', version, bytes, findings: [] };
}

async function describePostgres(engine: Engine): Promise<EngineDescription> {
  const { rows } = await sql<{ version: string; bytes: number | string }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`.execute(
    engine.db,
  );
  const { version, bytes } = rows[0]!;
  return {
    engine: engine.kind,
    name: 'PostgreSQL',
    version,
    bytes: Number(bytes),
    findings: await checkEngine(engine),
  };
}
