// Finds a flag and an environment by their keys, for a caller, or by their ids, for work that waited.
import type { Call } from '../../kernel/route.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findEnvironment } from '../environments/store.ts';
import { readFound } from '../feature-flags/reading.ts';
import { findFlag, lockFlag } from '../feature-flags/store.ts';
import { openEnvironment } from '../open.ts';
import { findProject } from '../projects/store.ts';
import { placeOf, type ByPlace, type Place, type Whereabouts } from './place.ts';

/** With an engine, nobody else changes the flag or what is pending for it until the transaction ends. */
export async function openPlace(
  call: Pick<Call, 'can'>,
  db: Db,
  { projectKey, featureFlagKey, environmentKey }: Static<typeof ByPlace>,
  engine?: Engine,
): Promise<Place> {
  const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
  if (engine?.kind === 'postgres') await lockFlag(db, project.id, featureFlagKey);
  const { flag } = await readFound(db, project, featureFlagKey);
  return placeOf(project, environment, flag);
}

/** The same, asking nobody. Undefined when the flag or the environment is gone. */
export async function findPlace(
  db: Db,
  { flagId, environmentId }: Whereabouts,
  engine?: Engine,
): Promise<Place | undefined> {
  const keys = await db
    .selectFrom('flags')
    .innerJoin('projects', 'projects.id', 'flags.project_id')
    .innerJoin('environments', 'environments.project_id', 'flags.project_id')
    .where('flags.id', '=', flagId)
    .where('environments.id', '=', environmentId)
    .select(['flags.key as flag', 'projects.key as project', 'environments.key as environment'])
    .executeTakeFirst();
  const project = keys && (await findProject(db, keys.project));
  if (project === undefined) return undefined;
  if (engine?.kind === 'postgres') await lockFlag(db, project.id, keys!.flag);
  const environment = await findEnvironment(db, project.id, keys!.environment);
  const found = await findFlag(db, project.id, keys!.flag);
  if (environment === undefined || found?.flag.id !== flagId) return undefined;
  return placeOf(project, environment, found.flag);
}
