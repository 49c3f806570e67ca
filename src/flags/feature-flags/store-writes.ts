// Writes to flags in the database: make one, save what changed, delete one.
import { sql } from 'kysely';
import { areEqual } from '../../kernel/patch/json-value.ts';
import type { ChangePlan } from '../../kernel/change/changes.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Environment } from '../projects/project.ts';
import { replaceSegmentUses, segmentKeysOf } from '../segments/store-uses.ts';
import type { Flag } from './flag.ts';
import { toConfigRow, toFlagRow } from './store-rows.ts';
import type { FoundFlag, Place } from './store.ts';

const BITE = 500;

/** False when the key is taken. `needs` are the ids of the flags its prerequisites name. */
export async function createFlag(
  tx: Db,
  flag: Flag,
  environments: readonly Place[],
  needs: ReadonlyMap<string, string>,
): Promise<boolean> {
  const made = await tx
    .insertInto('flags')
    .values(toFlagRow(flag))
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returning('no')
    .executeTakeFirst();
  if (made === undefined) return false;
  const configs = environments.map(({ id, key }) => toConfigRow(flag.id, id, flag.environments[key]!));
  for (let start = 0; start < configs.length; start += BITE)
    await tx
      .insertInto('flag_configs')
      .values(configs.slice(start, start + BITE))
      .execute();
  await executeAll(tx, prepareFirstTags(tx, flag, made.no));
  for (const place of environments) {
    await addNeeds(tx, flag, place, needs);
    const segments = segmentKeysOf(flag.environments[place.key]!);
    if (segments.length > 0) await replaceSegmentUses(tx, place.id, flag.id, segments);
  }
  return true;
}

/** An environment that was asked whether the change may be made. */
type Asked = Pick<Environment, 'id' | 'version'>;

/**
 * Writes the rows that differ from what was read. The versions are the caller's to raise. The change is contested when
 * someone else has meanwhile changed the flag, or an environment that was asked.
 */
export async function saveFlag(
  tx: Db,
  before: FoundFlag,
  after: Flag,
  needs: ReadonlyMap<string, string>,
  asked: readonly Asked[] = [],
): Promise<void> {
  const updated = await executeAll(tx, prepareUpdates(tx, before, after, asked));
  if (updated.some(({ numAffectedRows }) => numAffectedRows === 0n)) throw contested('flag');
  await executeAll(tx, prepareTags(tx, before, after));
  for (const place of changedPlaces(before, after)) await saveUses(tx, before.flag, after, place, needs);
}

/** The same as statements, for a change that speaks of no other things than before. */
export function planFlag(
  db: Db,
  before: FoundFlag,
  after: Flag,
  asked: readonly Asked[],
): Pick<ChangePlan<unknown>, 'guards' | 'statements'> {
  return { guards: prepareUpdates(db, before, after, asked), statements: prepareTags(db, before, after) };
}

function changedPlaces({ flag, environments }: FoundFlag, after: Flag): Place[] {
  return environments.filter(({ key }) => flag.environments[key] !== after.environments[key]);
}

/** Each meets its row, unless someone else was quicker. */
function prepareUpdates(db: Db, before: FoundFlag, after: Flag, asked: readonly Asked[]): SqlStatement[] {
  const { flag } = before;
  let update = db
    .updateTable('flags')
    .set(differing(toFlagRow(flag), toFlagRow(after)))
    .where('id', '=', flag.id)
    .where('version', '=', flag.version);
  for (const { id, version } of asked)
    update = update.where(
      sql<boolean>`exists (select 1 from environments where id = ${id} and version = ${version})`,
    );
  return [
    update.compile(),
    ...changedPlaces(before, after).map((place) => prepareConfig(db, flag, after, place)),
  ];
}

function prepareConfig(db: Db, { id, environments }: Flag, after: Flag, place: Place): SqlStatement {
  const old = environments[place.key]!;
  const config = after.environments[place.key]!;
  return db
    .updateTable('flag_configs')
    .set(differing(toConfigRow(id, place.id, old), toConfigRow(id, place.id, config)))
    .where('flag_id', '=', id)
    .where('environment_id', '=', place.id)
    .where('version', '=', old.version)
    .compile();
}

/** Which segments and which other flags the configuration speaks of. */
async function saveUses(
  tx: Db,
  before: Flag,
  after: Flag,
  place: Place,
  needs: ReadonlyMap<string, string>,
): Promise<void> {
  const old = before.environments[place.key]!;
  const config = after.environments[place.key]!;
  const segments = segmentKeysOf(config);
  if (!areEqual(segmentKeysOf(old), segments)) await replaceSegmentUses(tx, place.id, before.id, segments);
  if (areEqual(old.prerequisites, config.prerequisites)) return;
  await tx
    .deleteFrom('flag_prerequisites')
    .where('flag_id', '=', before.id)
    .where('environment_id', '=', place.id)
    .execute();
  await addNeeds(tx, after, place, needs);
}

function differing<Row extends object>(before: Row, after: Row): Partial<Row> {
  const names = Object.keys(after) as (keyof Row)[];
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]),
  ) as Partial<Row>;
}

function prepareTags(db: Db, { flag, no }: Pick<FoundFlag, 'flag' | 'no'>, after: Flag): SqlStatement[] {
  if (areEqual(flag.tags, after.tags)) return [];
  const forget = db.deleteFrom('flag_tags').where('flag_id', '=', flag.id).compile();
  return [forget, ...prepareFirstTags(db, after, no)];
}

function prepareFirstTags(db: Db, { id, projectId, tags }: Flag, no: number): SqlStatement[] {
  const rows = tags.map((tag) => ({ project_id: projectId, tag, flag_no: no, flag_id: id }));
  return rows.length === 0 ? [] : [db.insertInto('flag_tags').values(rows).compile()];
}

async function addNeeds(
  tx: Db,
  { id, environments }: Flag,
  place: Place,
  needs: ReadonlyMap<string, string>,
): Promise<void> {
  const { prerequisites } = environments[place.key]!;
  const rows = prerequisites.map(({ key, variation }) => ({
    flag_id: id,
    environment_id: place.id,
    needs_id: needs.get(key)!,
    variation,
  }));
  if (rows.length > 0) await tx.insertInto('flag_prerequisites').values(rows).execute();
}

/** Leaves its version behind, above all that SDKs may have seen of it. */
export async function deleteFlag(tx: Db, { id, projectId, key, version, environments }: Flag): Promise<void> {
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
