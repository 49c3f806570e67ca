// Writes of flags to the database: insert, update what changed, delete.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import type { ChangePlan } from '../../kernel/change/changes.ts';
import { contested } from '../../kernel/storage/retry.ts';
import { buildForShapes } from '../../kernel/storage/build-once.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Environment } from '../projects/project.ts';
import { replaceSegmentUses, segmentKeysOf } from '../segments/store-uses.ts';
import type { Flag } from './flag.ts';
import { toConfigRow, toFlagRow } from './store-rows.ts';
import type { FlagRecord, EnvironmentRef } from './store.ts';

/** Returns false when the key is taken. `prerequisiteIds` maps the keys of the prerequisites to flag ids. */
export async function insertFlag(
  tx: Db,
  flag: Flag,
  environments: readonly EnvironmentRef[],
  prerequisiteIds: ReadonlyMap<string, string>,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('flags')
    .values(toFlagRow(flag))
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returning('no')
    .executeTakeFirst();
  if (inserted === undefined) return false;
  const configs = environments.map(({ id, key }) => toConfigRow(flag.id, id, flag.environments[key]!));
  for (const batch of chunk(configs, 500)) await tx.insertInto('flag_configs').values(batch).execute();
  await executeAll(tx, prepareTagInserts(tx, flag, inserted.no));
  for (const environment of environments) {
    await insertPrerequisites(tx, flag, environment, prerequisiteIds);
    const segments = segmentKeysOf(flag.environments[environment.key]!);
    if (segments.length > 0) await replaceSegmentUses(tx, environment.id, flag.id, segments);
  }
  return true;
}

/** An environment whose settings allowed the change. */
type CheckedEnvironment = Pick<Environment, 'id' | 'version'>;

/**
 * Writes the rows that differ from what was read. The caller has raised the versions. Throws `contested` when somebody else
 * has changed the flag since, or an environment in `checked`.
 */
export async function updateFlag(
  tx: Db,
  before: FlagRecord,
  after: Flag,
  prerequisiteIds: ReadonlyMap<string, string>,
  checked: readonly CheckedEnvironment[] = [],
): Promise<void> {
  const updated = await executeAll(tx, prepareUpdates(tx, before, after, checked));
  if (updated.some(({ numAffectedRows }) => numAffectedRows === 0n)) throw contested('flag');
  await executeAll(tx, prepareTagUpdates(tx, before, after));
  for (const environment of changedEnvironments(before, after))
    await updateReferences(tx, before.flag, after, environment, prerequisiteIds);
}

/** The same as statements, for a change that leaves prerequisites and segments as they were. */
export function prepareFlagUpdate(
  db: Db,
  before: FlagRecord,
  after: Flag,
  checked: readonly CheckedEnvironment[],
): Pick<ChangePlan<unknown>, 'guards' | 'statements'> {
  return {
    guards: prepareUpdates(db, before, after, checked),
    statements: prepareTagUpdates(db, before, after),
  };
}

function changedEnvironments({ flag, environments }: FlagRecord, after: Flag): EnvironmentRef[] {
  return environments.filter(({ key }) => flag.environments[key] !== after.environments[key]);
}

/** A statement that matches no row means that somebody else has changed the flag since it was read. */
function prepareUpdates(
  db: Db,
  before: FlagRecord,
  after: Flag,
  checked: readonly CheckedEnvironment[],
): SqlStatement[] {
  const { flag } = before;
  const { version } = after;
  const isSame = areEqual({ ...flag, version, environments: null }, { ...after, environments: null });
  const set = isSame ? { version } : differing(toFlagRow(flag), toFlagRow(after));
  const values = [...Object.values(set), flag.id, flag.version];
  for (const environment of checked) values.push(environment.id, environment.version);
  return [
    updateFlagRow(db, { columns: Object.keys(set), checked: checked.length }, values),
    ...changedEnvironments(before, after).map((environment) =>
      prepareConfigUpdate(db, flag, after, environment),
    ),
  ];
}

/** By the columns, and the number of environments whose versions are checked: the values are those, the key, and those to check. */
const updateFlagRow = buildForShapes(
  ({ columns, checked }: { columns: readonly string[]; checked: number }) => `${columns.join()} ${checked}`,
  (db, { columns, checked }, values) => {
    const [id, version, ...rest] = values.slice(columns.length) as never[];
    let update = db.updateTable('flags').set(rowOf(columns, values)).where('id', '=', id!);
    update = update.where('version', '=', version!);
    for (let nth = 0; nth < checked; nth += 1)
      update = update.where(
        sql<boolean>`exists (select 1 from environments where id = ${rest[2 * nth]} and version = ${rest[2 * nth + 1]})`,
      );
    return update;
  },
);

function prepareConfigUpdate(
  db: Db,
  { id, environments }: Flag,
  after: Flag,
  environment: EnvironmentRef,
): SqlStatement {
  const old = environments[environment.key]!;
  const config = after.environments[environment.key]!;
  const set = differing(toConfigRow(id, environment.id, old), toConfigRow(id, environment.id, config));
  return updateConfigRow(db, Object.keys(set), [...Object.values(set), id, environment.id, old.version]);
}

const updateConfigRow = buildForShapes(
  (columns: readonly string[]) => columns.join(),
  (db, columns, values) => {
    const [flagId, environmentId, version] = values.slice(columns.length) as never[];
    return db
      .updateTable('flag_configs')
      .set(rowOf(columns, values))
      .where('flag_id', '=', flagId!)
      .where('environment_id', '=', environmentId!)
      .where('version', '=', version!);
  },
);

function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, never> {
  return Object.fromEntries(columns.map((column, index) => [column, values[index] as never]));
}

/** Updates the rows that say which segments and flags the configuration refers to. */
async function updateReferences(
  tx: Db,
  before: Flag,
  after: Flag,
  environment: EnvironmentRef,
  prerequisiteIds: ReadonlyMap<string, string>,
): Promise<void> {
  const old = before.environments[environment.key]!;
  const config = after.environments[environment.key]!;
  const segments = segmentKeysOf(config);
  if (!areEqual(segmentKeysOf(old), segments))
    await replaceSegmentUses(tx, environment.id, before.id, segments);
  if (areEqual(old.prerequisites, config.prerequisites)) return;
  await tx
    .deleteFrom('flag_prerequisites')
    .where('flag_id', '=', before.id)
    .where('environment_id', '=', environment.id)
    .execute();
  await insertPrerequisites(tx, after, environment, prerequisiteIds);
}

function differing<Row extends object>(before: Row, after: Row): Partial<Row> {
  const names = Object.keys(after) as (keyof Row)[];
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]),
  ) as Partial<Row>;
}

function prepareTagUpdates(
  db: Db,
  { flag, no }: Pick<FlagRecord, 'flag' | 'no'>,
  after: Flag,
): SqlStatement[] {
  if (areEqual(flag.tags, after.tags)) return [];
  const deletion = db.deleteFrom('flag_tags').where('flag_id', '=', flag.id).compile();
  return [deletion, ...prepareTagInserts(db, after, no)];
}

function prepareTagInserts(db: Db, { id, projectId, tags }: Flag, no: number): SqlStatement[] {
  const rows = tags.map((tag) => ({ project_id: projectId, tag, flag_no: no, flag_id: id }));
  return rows.length === 0 ? [] : [db.insertInto('flag_tags').values(rows).compile()];
}

async function insertPrerequisites(
  tx: Db,
  { id, environments }: Flag,
  environment: EnvironmentRef,
  prerequisiteIds: ReadonlyMap<string, string>,
): Promise<void> {
  const { prerequisites } = environments[environment.key]!;
  const rows = prerequisites.map(({ key, variation }) => ({
    flag_id: id,
    environment_id: environment.id,
    needs_id: prerequisiteIds.get(key)!,
    variation,
  }));
  if (rows.length > 0) await tx.insertInto('flag_prerequisites').values(rows).execute();
}

/** Stores a last version above all that SDKs have seen: they ignore a new flag of this key with an older one. */
export async function deleteFlagRows(
  tx: Db,
  { id, projectId, key, version, environments }: Flag,
): Promise<void> {
  const last = Math.max(version, ...Object.values(environments).map((config) => config.version)) + 1;
  const { numDeletedRows } = await tx
    .deleteFrom('flags')
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw contested('flag');
  await tx
    .insertInto('flag_graves')
    .values({ project_id: projectId, key, version: last })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doUpdateSet({ version: last }))
    .execute();
}
