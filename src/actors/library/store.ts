// The Actors of the library in the database.
import type { Db } from '../../kernel/storage/tables.ts';

export interface CurrentBuild {
  sources: string | null;
  dependencies: string | null;
}

/** By the names of the Actors of an account: what their builds with this tag are made of. */
export async function listCurrentBuilds(
  db: Db,
  userId: string,
  tag: string,
): Promise<Map<string, CurrentBuild>> {
  const rows = await db
    .selectFrom('actors')
    .innerJoin('actor_tags', 'actor_tags.actor_id', 'actors.id')
    .innerJoin('builds', 'builds.id', 'actor_tags.build_id')
    .select(['actors.name', 'builds.sources', 'builds.dependencies'])
    .where('actors.user_id', '=', userId)
    .where('actor_tags.tag', '=', tag)
    .execute();
  return new Map(rows.map(({ name, ...build }) => [name, build]));
}
