// Finds a flag in an environment, and the planned changes and triggers there: for a caller, or for due work.
import type { Call } from '../../kernel/http/route.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findEnvironment } from '../environments/store.ts';
import { readFlag } from '../feature-flags/read-flag.ts';
import { findFlag, findKeysOfIds, lockFlag } from '../feature-flags/store.ts';
import { openEnvironment, unknownThing } from '../find-project.ts';
import { findProject } from '../projects/store.ts';
import {
  toFlagInEnvironment,
  refOf,
  type ByFlagInEnvironment,
  type FlagInEnvironment,
  type FlagInEnvironmentRef,
} from './flag-in-environment.ts';

/** Throws `not-found`. With `hold`, locks the flag and the environment until the transaction ends. */
export async function readFlagInEnvironment(
  call: Pick<Call, 'can'>,
  db: Db,
  { projectKey, featureFlagKey, environmentKey }: Static<typeof ByFlagInEnvironment>,
  hold?: 'hold',
): Promise<FlagInEnvironment> {
  const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey, hold);
  if (hold !== undefined) await lockFlag(db, project.id, featureFlagKey);
  const { flag } = await readFlag(db, project, featureFlagKey);
  return toFlagInEnvironment(project, environment, flag);
}

/** The same by ids and without permissions. Undefined when the flag or the environment is deleted. */
export async function findFlagInEnvironment(
  db: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
  hold?: 'hold',
): Promise<FlagInEnvironment | undefined> {
  const keys = await findKeysOfIds(db, flagId, environmentId);
  const project = keys && (await findProject(db, keys.project));
  if (project === undefined) return undefined;
  const environment = await findEnvironment(db, project.id, keys!.environment, hold);
  if (hold !== undefined) await lockFlag(db, project.id, keys!.flag);
  const found = await findFlag(db, project.id, keys!.flag);
  if (environment === undefined || found?.flag.id !== flagId) return undefined;
  return toFlagInEnvironment(project, environment, found.flag);
}

export function lockFlagInEnvironment(
  tx: Db,
  ref: FlagInEnvironmentRef,
): Promise<FlagInEnvironment | undefined> {
  return findFlagInEnvironment(tx, ref, 'hold');
}

/** Finds a planned change or trigger by id; with `hold`, locks it until the transaction ends. */
export type FindById<Item> = (db: Db, id: string, hold?: 'hold') => Promise<Item | undefined>;

/** Throws `not-found`, also for an item of another flag or environment. */
export async function readItem<Item extends FlagInEnvironmentRef>(
  db: Db,
  target: FlagInEnvironment,
  find: FindById<Item>,
  { kind, id }: { kind: string; id: string },
  hold?: 'hold',
): Promise<Item> {
  const item = await find(db, id, hold);
  const { flagId, environmentId } = refOf(target);
  if (item?.flagId !== flagId || item.environmentId !== environmentId) throw unknownThing(kind, id);
  return item;
}

/** Locks the target before the item, in the order of all transactions. Undefined when either is deleted. */
export async function findLocked<Item, Target>(
  tx: Db,
  id: string,
  find: FindById<Item>,
  lockTarget: (tx: Db, item: Item) => Promise<Target | undefined>,
): Promise<{ item: Item; target: Target } | undefined> {
  const unlocked = await find(tx, id);
  const target = unlocked && (await lockTarget(tx, unlocked));
  const item = target && (await find(tx, id, 'hold'));
  return item && { item, target };
}
