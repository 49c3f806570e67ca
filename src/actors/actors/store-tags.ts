// The tagged builds of Actors in the database.
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { TaggedBuilds } from './model.ts';
import { toBuildNumberInt } from './version.ts';

/** The id of the build. */
export async function findTaggedBuild(db: Db, actorId: string, tag: string): Promise<string | undefined> {
  const { rows } = await db.executeQuery(selectTaggedBuild(db, actorId, tag));
  return rows[0]?.build_id;
}

const selectTaggedBuild = buildOnce((db, actorId: string, tag: string) =>
  db.selectFrom('actor_tags').select('build_id').where('actor_id', '=', actorId).where('tag', '=', tag),
);

export async function listTags(db: Db, actorId: string): Promise<TaggedBuilds> {
  const rows = await db
    .selectFrom('actor_tags')
    .innerJoin('builds', 'builds.id', 'actor_tags.build_id')
    .select(['actor_tags.tag', 'build_id', 'build_number', 'finished_at'])
    .where('actor_tags.actor_id', '=', actorId)
    .orderBy('actor_tags.tag')
    .execute();
  return Object.fromEntries(
    rows.map((row) => [
      row.tag,
      {
        buildId: row.build_id,
        buildNumber: row.build_number,
        buildNumberInt: toBuildNumberInt(row.build_number),
        finishedAt: row.finished_at === null ? null : new Date(row.finished_at).toISOString(),
      },
    ]),
  );
}

/** The tags of one build. */
export async function listTagsOfBuild(db: Db, buildId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('actor_tags')
    .select('tag')
    .where('build_id', '=', buildId)
    .orderBy('tag')
    .execute();
  return rows.map(({ tag }) => tag);
}

/** Moves the tag from another build, if it has one. */
export async function setTag(tx: Db, actorId: string, tag: string, buildId: string): Promise<void> {
  await tx
    .insertInto('actor_tags')
    .values({ actor_id: actorId, tag, build_id: buildId })
    .onConflict((conflict) => conflict.columns(['actor_id', 'tag']).doUpdateSet({ build_id: buildId }))
    .execute();
}

export async function deleteTag(tx: Db, actorId: string, tag: string): Promise<void> {
  await tx.deleteFrom('actor_tags').where('actor_id', '=', actorId).where('tag', '=', tag).execute();
}

/** For a build that is deleted. */
export async function deleteTagsOfBuild(tx: Db, buildId: string): Promise<void> {
  await tx.deleteFrom('actor_tags').where('build_id', '=', buildId).execute();
}

/** The status of a build of the Actor. */
export async function findBuildStatus(db: Db, actorId: string, buildId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('builds')
    .select('status')
    .where('id', '=', buildId)
    .where('actor_id', '=', actorId)
    .executeTakeFirst();
  return row?.status;
}

export async function countTags(db: Db, actorId: string): Promise<number> {
  const { total } = await db
    .selectFrom('actor_tags')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('actor_id', '=', actorId)
    .executeTakeFirstOrThrow();
  return total;
}
