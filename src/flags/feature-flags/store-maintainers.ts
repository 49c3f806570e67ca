// Maintainers of flags in the database: members and teams.
import type { BaseRole } from '../../kernel/identity/policy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { couldBeId, couldBeKey } from '../fields.ts';
import type { Flag } from './flag.ts';
import type { FlagRecord, Maintainer } from './store.ts';

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
