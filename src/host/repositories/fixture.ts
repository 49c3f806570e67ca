// Rows of many repositories, for tests of query plans.
import type { Insertable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RepositoryRow } from './tables.ts';

/** One for each of `rows`: the owners are `owner-0` to `owner-999`, and every other repository is private. */
export async function insertRepositoryRows(
  tx: Db,
  rows: readonly number[],
  now: number,
  differencesOf: (at: number) => Partial<Insertable<RepositoryRow>> = () => ({}),
): Promise<void> {
  const values = rows.map((at) => ({
    owner_id: `owner-${at % 1000}`,
    name: `repo-${at}`,
    full_name: `owner-${at % 1000}/repo-${at}`,
    description: null,
    is_private: at % 2,
    is_archived: 0,
    default_branch: 'main',
    settings: '{}',
    topics: '[]',
    languages: '{}',
    language: null,
    license: null,
    size_kb: 1,
    parent_number: null,
    source_number: null,
    star_count: 0,
    watch_count: 0,
    fork_count: 0,
    created_at: now + at,
    updated_at: now + at,
    pushed_at: now + at,
    deleted_at: null,
    ...differencesOf(at),
  }));
  await tx.insertInto('repositories').values(values).execute();
}
