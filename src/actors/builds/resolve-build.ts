// Finds the build that a caller means by a tag or a number.
import type { Db } from '../../kernel/storage/tables.ts';
import type { Actor } from '../actors/model.ts';
import { findTaggedBuild } from '../actors/store-tags.ts';
import { unknownBuild, type Build } from './model.ts';
import { findBuild, findBuildByNumber } from './store.ts';

/** A tag wins over a number. Only a build that has succeeded can be run. */
export async function resolveBuild(db: Db, actor: Pick<Actor, 'id'>, tagOrNumber: string): Promise<Build> {
  const build = await findNamedBuild(db, actor, tagOrNumber);
  if (build?.status === 'SUCCEEDED') return build;
  throw unknownBuild(tagOrNumber);
}

/** The same for any status. */
export async function findNamedBuild(
  db: Db,
  { id }: Pick<Actor, 'id'>,
  tagOrNumber: string,
): Promise<Build | undefined> {
  if (tagOrNumber.includes('\0')) return undefined;
  const tagged = await findTaggedBuild(db, id, tagOrNumber);
  return tagged === undefined ? await findBuildByNumber(db, id, tagOrNumber) : await findBuild(db, tagged);
}
