// Finds a flag in an environment, and what belongs to it there: for a caller, or for work that waited.
import type { Call } from '../../kernel/route.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findEnvironment } from '../environments/store.ts';
import { readFound } from '../feature-flags/read-flag.ts';
import { findFlag, findKeys, holdFlag } from '../feature-flags/store.ts';
import { openEnvironment, unknownThing } from '../find-project.ts';
import { findProject } from '../projects/store.ts';
import { placeOf, whereaboutsOf, type ByPlace, type Place, type Whereabouts } from './flag-in-environment.ts';

/** With `hold`, nobody else changes the flag or what is pending for it, or deletes the environment, until the transaction ends. */
export async function openPlace(
  call: Pick<Call, 'can'>,
  db: Db,
  { projectKey, featureFlagKey, environmentKey }: Static<typeof ByPlace>,
  hold?: 'hold',
): Promise<Place> {
  const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey, hold);
  if (hold !== undefined) await holdFlag(db, project.id, featureFlagKey);
  const { flag } = await readFound(db, project, featureFlagKey);
  return placeOf(project, environment, flag);
}

/** The same by ids, asking nobody. Undefined when the flag or the environment is gone. */
export async function findPlace(
  db: Db,
  { flagId, environmentId }: Whereabouts,
  hold?: 'hold',
): Promise<Place | undefined> {
  const keys = await findKeys(db, flagId, environmentId);
  const project = keys && (await findProject(db, keys.project));
  if (project === undefined) return undefined;
  const environment = await findEnvironment(db, project.id, keys!.environment, hold);
  if (hold !== undefined) await holdFlag(db, project.id, keys!.flag);
  const found = await findFlag(db, project.id, keys!.flag);
  if (environment === undefined || found?.flag.id !== flagId) return undefined;
  return placeOf(project, environment, found.flag);
}

/** How one sort of what belongs to a place is found; with `hold`, it stays as it is until the transaction ends. */
export type Find<Thing extends Whereabouts> = (
  db: Db,
  id: string,
  hold?: 'hold',
) => Promise<Thing | undefined>;

/** In a place that has been opened. One of another flag or environment is not to be found there. */
export async function readAt<Thing extends Whereabouts>(
  db: Db,
  place: Place,
  find: Find<Thing>,
  { kind, id }: { kind: string; id: string },
  hold?: 'hold',
): Promise<Thing> {
  const thing = await find(db, id, hold);
  const { flagId, environmentId } = whereaboutsOf(place);
  if (thing?.flagId !== flagId || thing.environmentId !== environmentId) throw unknownThing(kind, id);
  return thing;
}

/** Asking nobody: the flag is held before what belongs to it, as by everyone. Undefined when either is gone. */
export async function findHeld<Thing extends Whereabouts>(
  tx: Db,
  find: Find<Thing>,
  id: string,
): Promise<{ thing: Thing; place: Place } | undefined> {
  const known = await find(tx, id);
  const place = known && (await findPlace(tx, known, 'hold'));
  const thing = place && (await find(tx, id, 'hold'));
  return thing && { thing, place };
}
