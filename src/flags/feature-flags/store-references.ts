// What flags refer to, in the database: other flags as prerequisites, members and teams as maintainers.
import type { BaseRole } from '../../kernel/identity/policy.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { couldBeId, couldBeKey } from '../fields.ts';
import type { Flag } from './flag.ts';
import type { FlagRecord, Maintainer } from './store.ts';
import type { ReferenceKeys, References } from './change/instructions/kind.ts';
import { fromFlagRow } from './store-rows.ts';

/** What instructions refer to. Most refer to nothing, which takes no statement. */
export async function findReferences(
  db: Db,
  projectId: string,
  { flagKeys, memberIds, teamKeys }: ReferenceKeys,
): Promise<References> {
  const [flags, members, teams] = await awaitAll([
    findFlags(db, projectId, flagKeys),
    findMemberIds(db, memberIds),
    findTeamKeys(db, teamKeys),
  ]);
  return { flags, memberIds: members, teamKeys: teams };
}

/** By key, without configurations: enough to check references to their variations. */
export async function findFlags(
  db: Db,
  projectId: string,
  keys: readonly string[],
): Promise<Map<string, Flag>> {
  const asked = keys.filter(couldBeKey);
  if (asked.length === 0) return new Map();
  const rows = await db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', 'in', asked)
    .execute();
  return new Map(await mapInSlices(rows, (row) => [row.key, fromFlagRow(row)]));
}

/** Which of the ids are members. */
export async function findMemberIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await findMaintainers(db, ids)).keys());
}

export async function findTeamKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  return new Set((await findTeamNames(db, keys)).keys());
}

export async function findMaintainers(db: Db, ids: readonly string[]): Promise<Map<string, Maintainer>> {
  const asked = ids.filter(couldBeId);
  if (asked.length === 0) return new Map();
  const rows = await db
    .selectFrom('members')
    .select(['id', 'role', 'email', 'first_name as firstName', 'last_name as lastName'])
    .where('id', 'in', asked)
    .where('removed_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, { ...row, role: row.role as BaseRole }]));
}

/** The names of the teams by key. */
export async function findTeamNames(db: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const asked = keys.filter(couldBeKey);
  if (asked.length === 0) return new Map();
  const rows = await db.selectFrom('teams').select(['key', 'name']).where('key', 'in', asked).execute();
  return new Map(rows.map(({ key, name }) => [key, name]));
}

type Around = Pick<FlagRecord, 'maintainer' | 'teamName'>;

/** Throws `invalid` for a new maintainer that does not exist. An unchanged maintainer is not checked again. */
export async function readMaintainer(
  db: Db,
  before: Around & { flag: Pick<Flag, 'maintainerId' | 'maintainerTeamKey'> },
  { maintainerId, maintainerTeamKey }: Pick<Flag, 'maintainerId' | 'maintainerTeamKey'>,
): Promise<Around> {
  if (maintainerId !== undefined) {
    if (maintainerId === before.flag.maintainerId)
      return { maintainer: before.maintainer, teamName: undefined };
    const maintainer = (await findMaintainers(db, [maintainerId])).get(maintainerId);
    if (maintainer === undefined) throw problem('maintainerId', `names no member: "${maintainerId}"`);
    return { maintainer, teamName: undefined };
  }
  if (maintainerTeamKey === undefined) return { maintainer: undefined, teamName: undefined };
  if (maintainerTeamKey === before.flag.maintainerTeamKey)
    return { maintainer: undefined, teamName: before.teamName };
  const teamName = (await findTeamNames(db, [maintainerTeamKey])).get(maintainerTeamKey);
  if (teamName === undefined) throw problem('maintainerTeamKey', `names no team: "${maintainerTeamKey}"`);
  return { maintainer: undefined, teamName };
}

export interface Dependent {
  id: string;
  key: string;
  name: string;
  environmentKey: string;
  environmentName: string;
  /** The index of the variation that is required. */
  variation: number;
}

/** The flags that have this one as a prerequisite, sorted by key and environment; all of them, or the first ones. */
export async function listDependents(
  db: Db,
  flagId: string,
  environmentId?: string,
  limit?: number,
): Promise<Dependent[]> {
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
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute();
}

/**
 * Every change takes this lock that adds a prerequisite, or removes what may be one: two such changes at the same time would
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
