// Which sources and dependencies builds and unfinished runs refer to, in the database: all others are swept.
import type { Db } from '../../kernel/storage/tables.ts';

/** Returns those of the hashes that a build refers to. */
export function listReferencedSources(db: Db, hashes: readonly string[]): Promise<Set<string>> {
  return listReferenced(db, 'sources', hashes);
}

/** Returns those of the keys that a build refers to. */
export function listReferencedDependencies(db: Db, keys: readonly string[]): Promise<Set<string>> {
  return listReferenced(db, 'dependencies', keys);
}

async function listReferenced(
  db: Db,
  column: 'sources' | 'dependencies',
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await db
    .selectFrom('builds')
    .select(({ ref }) => ref(column).as('name'))
    .where(column, 'in', names)
    .where(column, 'is not', null)
    .distinct()
    .execute();
  return new Set(rows.map(({ name }) => name!));
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
