// Prerequisites of flags in the database.
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export interface Dependent {
  id: string;
  key: string;
  name: string;
  environmentKey: string;
  environmentName: string;
  /** The index of the variation that is required. */
  variation: number;
}

/** The flags that have this one as a prerequisite, sorted by key and environment. */
export async function listDependents(db: Db, flagId: string, environmentId?: string): Promise<Dependent[]> {
  return await db
    .selectFrom('flag_prerequisites')
    .innerJoin('flags', 'flags.id', 'flag_prerequisites.flag_id')
    .innerJoin('environments', 'environments.id', 'flag_prerequisites.environment_id')
    .where('flag_prerequisites.needs_id', '=', flagId)
    .$if(environmentId !== undefined, (query) =>
      query.where('flag_prerequisites.environment_id', '=', environmentId!),
    )
    .select([
      'flags.id',
      'flags.key',
      'flags.name',
      'environments.key as environmentKey',
      'environments.name as environmentName',
      'flag_prerequisites.variation',
    ])
    .orderBy('flags.key')
    .orderBy('environments.created_at')
    .orderBy('environments.key')
    .execute();
}

/**
 * Every change takes this lockName that adds a prerequisite, or removes what may be one: two such changes at the same time would
 * each be checked against the old state of the other.
 */
export async function lockPrerequisites(tx: Db, projectId: string): Promise<void> {
  await lockName(tx, `flag-needs/${projectId}`);
}

/** Whether one of the flags has the other as a prerequisite, directly or through further flags. */
export async function dependsOn(
  tx: Db,
  environmentId: string,
  ids: readonly string[],
  neededId: string,
): Promise<boolean> {
  const found = await tx
    .withRecursive('reached', (db) =>
      db
        .selectFrom('flag_prerequisites')
        .where('environment_id', '=', environmentId)
        .where('flag_id', 'in', ids)
        .select('needs_id as id')
        .union(
          db
            .selectFrom('flag_prerequisites')
            .innerJoin('reached', 'reached.id', 'flag_prerequisites.flag_id')
            .where('flag_prerequisites.environment_id', '=', environmentId)
            .select('flag_prerequisites.needs_id as id'),
        ),
    )
    .selectFrom('reached')
    .where('id', '=', neededId)
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}
