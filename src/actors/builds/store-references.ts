// Which sources and dependencies builds and unfinished runs refer to, in the database: all others are swept.
import type { Db } from '../../kernel/storage/tables.ts';

/** Returns those of the hashes that a build refers to. */
export async function listReferencedSources(db: Db, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom('builds')
    .select('sources')
    .where('sources', 'in', hashes)
    .where('sources', 'is not', null)
    .distinct()
    .execute();
  return new Set(rows.map(({ sources }) => sources!));
}

/** Returns those of the keys that a build refers to. */
export async function listReferencedDependencies(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db
    .selectFrom('builds')
    .select('dependencies')
    .where('dependencies', 'in', keys)
    .where('dependencies', 'is not', null)
    .distinct()
    .execute();
  return new Set(rows.map(({ dependencies }) => dependencies!));
}

/** The hashes and keys of the builds that unfinished runs use. */
export async function listUsedByRuns(db: Db): Promise<{ sources: Set<string>; dependencies: Set<string> }> {
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('runs', 'runs.id', 'jobs.id')
    .innerJoin('builds', 'builds.id', 'runs.build_id')
    .select(['sources', 'dependencies'])
    .execute();
  return {
    sources: new Set(rows.flatMap(({ sources }) => sources ?? [])),
    dependencies: new Set(rows.flatMap(({ dependencies }) => dependencies ?? [])),
  };
}
