// Inserts the configurations of all flags of a project in a new environment.
import type { Selectable } from 'kysely';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { Environment, Project } from '../projects/project.ts';
import { newConfig } from './model.ts';
import { fromFlagRow, toConfigRow } from './store-rows.ts';
import { newHex } from './store.ts';

const BATCH_SIZE = 500;

/**
 * Each configuration is a copy of that in another environment, or that of a new flag. Belongs in the transaction that inserts
 * the environment and has locked the project.
 */
export async function insertConfigs(
  tx: Db,
  project: Pick<Project, 'id'>,
  environment: Pick<Environment, 'id' | 'defaultTrackEvents'>,
  sourceEnvironmentId: string | undefined,
  now: number,
): Promise<void> {
  // Raises the versions, so that a concurrent change which has read the flag without the environment is contested.
  await tx
    .updateTable('flags')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('project_id', '=', project.id)
    .execute();
  for (let last: string | undefined = ''; last !== undefined;) {
    last =
      sourceEnvironmentId === undefined
        ? await addNewConfigs(tx, project.id, environment, last, now)
        : await copyConfigs(tx, sourceEnvironmentId, environment.id, last, now);
  }
}

/** The key after which the next batch begins; undefined after the last one. */
function lastOf(names: readonly string[]): string | undefined {
  return names.length === BATCH_SIZE ? names.at(-1) : undefined;
}

async function addNewConfigs(
  tx: Db,
  projectId: string,
  { id: environmentId, defaultTrackEvents }: Pick<Environment, 'id' | 'defaultTrackEvents'>,
  after: string,
  now: number,
): Promise<string | undefined> {
  const rows: Selectable<Tables['flags']>[] = await tx
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '>', after)
    .orderBy('key')
    .limit(BATCH_SIZE)
    .execute();
  const configs = rows.map((row) => {
    const flag = fromFlagRow(row);
    const config = newConfig({ ...flag, version: 1 }, { trackEvents: defaultTrackEvents }, newHex, now);
    return toConfigRow(flag.id, environmentId, config);
  });
  if (configs.length > 0) await tx.insertInto('flag_configs').values(configs).execute();
  return lastOf(rows.map(({ key }) => key));
}

async function copyConfigs(
  tx: Db,
  sourceId: string,
  targetId: string,
  after: string,
  now: number,
): Promise<string | undefined> {
  const source = tx
    .selectFrom('flag_configs')
    .where('environment_id', '=', sourceId)
    .where('flag_id', '>', after)
    .orderBy('flag_id')
    .limit(BATCH_SIZE);
  const ids = (await source.select('flag_id').execute()).map(({ flag_id }) => flag_id);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  await tx
    .insertInto('flag_configs')
    .columns(['flag_id', 'environment_id', 'is_on', 'version', 'modified_at', 'head', 'doc'])
    .expression(
      source.select(({ val, cast }) => [
        'flag_id',
        cast<string>(val(targetId), 'text').as('environment_id'),
        'is_on',
        cast<number>(val(1), 'integer').as('version'),
        cast<number>(val(now), 'bigint').as('modified_at'),
        'head',
        'doc',
      ]),
    )
    .execute();
  await tx
    .insertInto('flag_prerequisites')
    .columns(['flag_id', 'environment_id', 'needs_id', 'variation'])
    .expression((eb) =>
      eb
        .selectFrom('flag_prerequisites')
        .where('environment_id', '=', sourceId)
        .where('flag_id', '>', after)
        .where('flag_id', '<=', last)
        .select(({ val, cast }) => [
          'flag_id',
          cast<string>(val(targetId), 'text').as('environment_id'),
          'needs_id',
          'variation',
        ]),
    )
    .execute();
  await tx
    .insertInto('segment_uses')
    .columns(['environment_id', 'segment_key', 'flag_id'])
    .expression((eb) =>
      eb
        .selectFrom('segment_uses')
        .where('environment_id', '=', sourceId)
        .where('flag_id', '>', after)
        .where('flag_id', '<=', last)
        .select(({ val, cast }) => [
          cast<string>(val(targetId), 'text').as('environment_id'),
          'segment_key',
          'flag_id',
        ]),
    )
    .execute();
  return lastOf(ids);
}
