// What decides whether flags are ready to be removed, in the database, and those that are.
import type { Db } from '../../kernel/storage/tables.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import type { ConfigHead } from '../feature-flags/store-rows.ts';
import { onlyServed, type RemovalFacts } from './rule.ts';
import type { RemovableFlagRow } from './tables.ts';

interface SettledFlag {
  id: string;
  projectId: string;
  isTemporary: boolean;
  createdAt: number;
}

/** Flags that are not archived and were made before that time, in the order of ids. */
export async function listOldFlags(
  db: Db,
  { after, createdBefore, limit }: { after: string; createdBefore: number; limit: number },
): Promise<{ flags: SettledFlag[]; last: string | undefined }> {
  const rows = await db
    .selectFrom('flags')
    .select(['id', 'project_id', 'is_temporary', 'created_at', 'state'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const flags = rows
    .filter(({ state, created_at: at }) => state !== 'archived' && at <= createdBefore)
    .map((row) => ({
      id: row.id,
      projectId: row.project_id,
      isTemporary: row.is_temporary === 1,
      createdAt: row.created_at,
    }));
  return { flags, last: rows.length === limit ? rows.at(-1)!.id : undefined };
}

/** In a project with more of them, no flag counts as ready: too much would have to be read to say so. */
const MAX_DECIDING = 50;

/** By the id of the flag. */
export async function readRemovalFacts(
  db: Db,
  flags: readonly SettledFlag[],
): Promise<Map<string, RemovalFacts>> {
  if (flags.length === 0) return new Map();
  const ids = flags.map(({ id }) => id);
  const environments = await listDeciding(db, [...new Set(flags.map(({ projectId }) => projectId))]);
  const [modified, requested, served, dependents, planned] = await Promise.all([
    db
      .selectFrom('flag_configs')
      .select(({ fn }) => ['flag_id', fn.max('modified_at').as('at')])
      .where('flag_id', 'in', ids)
      .groupBy('flag_id')
      .execute(),
    db
      .selectFrom('flag_usage')
      .select(({ fn }) => ['flag_id', fn.max('last_requested_at').as('at')])
      .where('flag_id', 'in', ids)
      .groupBy('flag_id')
      .execute(),
    listServed(
      db,
      ids,
      [...environments.values()].flat().map(({ id }) => id),
    ),
    db.selectFrom('flag_prerequisites').select('needs_id').distinct().where('needs_id', 'in', ids).execute(),
    listPlanned(db, ids),
  ]);
  const modifiedAt = new Map(modified.map((row) => [row.flag_id, row.at]));
  const requestedAt = new Map(requested.map((row) => [row.flag_id, row.at]));
  const needed = new Set(dependents.map((row) => row.needs_id));
  return new Map(
    flags.map(({ id, projectId, isTemporary, createdAt }) => [
      id,
      {
        isTemporary,
        createdAt,
        modifiedAt: modifiedAt.get(id) ?? createdAt,
        lastRequestedAt: requestedAt.get(id),
        deciding: (environments.get(projectId) ?? []).map((environment) => ({
          name: environment.name,
          served: served.get(`${id} ${environment.id}`),
        })),
        hasDependents: needed.has(id),
        isPlanned: planned.has(id),
      },
    ]),
  );
}

/** By project: its critical environments, or all where none is. */
async function listDeciding(
  db: Db,
  projectIds: readonly string[],
): Promise<Map<string, { id: string; name: string }[]>> {
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'project_id', 'name', 'is_critical'])
    .where('project_id', 'in', projectIds)
    .orderBy('created_at')
    .execute();
  const deciding = new Map<string, { id: string; name: string }[]>();
  for (const [projectId, all] of Map.groupBy(rows, (row) => row.project_id)) {
    const critical = all.filter(({ is_critical: isCritical }) => isCritical === 1);
    const some = critical.length === 0 ? all : critical;
    deciding.set(projectId, some.length > MAX_DECIDING ? [] : some.map(({ id, name }) => ({ id, name })));
  }
  return deciding;
}

/** The only variation that each flag serves in each environment, by the ids of both. */
async function listServed(
  db: Db,
  flagIds: readonly string[],
  environmentIds: readonly string[],
): Promise<Map<string, number | undefined>> {
  if (environmentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('flag_configs')
    .select(['flag_id', 'environment_id', 'is_on', 'head'])
    .where('flag_id', 'in', flagIds)
    .where('environment_id', 'in', environmentIds)
    .execute();
  const entries = await mapInSlices(rows, (row): [string, number | undefined] => [
    `${row.flag_id} ${row.environment_id}`,
    onlyServed(row.is_on === 1, (JSON.parse(row.head) as ConfigHead).summary),
  ]);
  return new Map(entries);
}

/** Those of the flags of which a change is scheduled or waits for approval. */
async function listPlanned(db: Db, flagIds: readonly string[]): Promise<Set<string>> {
  const [scheduled, asked] = await Promise.all([
    db
      .selectFrom('scheduled_changes')
      .select('flag_id')
      .where('flag_id', 'in', flagIds)
      .where('status', '=', 'pending')
      .execute(),
    db
      .selectFrom('approval_requests')
      .select('flag_id')
      .where('flag_id', 'in', flagIds)
      .where('status', 'in', ['pending', 'scheduled'])
      .execute(),
  ]);
  return new Set([...scheduled, ...asked].map((row) => row.flag_id));
}

/** Of the flags from one id up to another: these are ready, and the others are not. */
export async function replaceRemovable(
  tx: Db,
  { after, upTo }: { after: string; upTo: string | undefined },
  ready: readonly { flagId: string; projectId: string; since: number }[],
): Promise<void> {
  await tx
    .deleteFrom('removable_flags')
    .where('flag_id', '>', after)
    .$if(upTo !== undefined, (query) => query.where('flag_id', '<=', upTo!))
    .execute();
  if (ready.length === 0) return;
  // A flag may have been deleted since it was read.
  const there = await tx
    .selectFrom('flags')
    .select('id')
    .where(
      'id',
      'in',
      ready.map(({ flagId }) => flagId),
    )
    .execute();
  const ids = new Set(there.map(({ id }) => id));
  const rows: RemovableFlagRow[] = ready
    .filter(({ flagId }) => ids.has(flagId))
    .map(({ flagId, projectId, since }) => ({ flag_id: flagId, project_id: projectId, since }));
  if (rows.length > 0)
    await tx
      .insertInto('removable_flags')
      .values(rows)
      .onConflict((conflict) => conflict.column('flag_id').doNothing())
      .execute();
}

/** No more are counted: nobody removes more in a day. */
const MAX_REMOVABLE_COUNTED = 1000;

/** How many flags of the project are ready, and the longest time since when one is; undefined where none is. */
export async function countRemovable(
  db: Db,
  projectId: string,
): Promise<{ count: number; since: number } | undefined> {
  const rows = await db
    .selectFrom('removable_flags')
    .select('since')
    .where('project_id', '=', projectId)
    .orderBy('flag_id')
    .limit(MAX_REMOVABLE_COUNTED)
    .execute();
  if (rows.length === 0) return undefined;
  return { count: rows.length, since: Math.min(...rows.map(({ since }) => since)) };
}

/** The projects that have such flags, in the order of their ids. */
export async function listProjectsWithRemovable(db: Db, limit: number): Promise<string[]> {
  const projects: string[] = [];
  for (let after = ''; projects.length < limit;) {
    const next = await db
      .selectFrom('removable_flags')
      .select('project_id')
      .where('project_id', '>', after)
      .orderBy('project_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) break;
    after = next.project_id;
    projects.push(after);
  }
  return projects;
}
