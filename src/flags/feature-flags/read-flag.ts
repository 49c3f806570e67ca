// What the routes of a flag share: path parameters, the `env` query, and reading the flag or failing with not-found.
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { unknownThing } from '../find-project.ts';
import type { Project } from '../projects/project.ts';
import { findFlag, type FlagRecord } from './store.ts';

export const ByFlag = Type.Object({ projectKey: Type.String(), featureFlagKey: Type.String() });

export const EnvQuery = {
  env: Type.Optional(
    Type.Array(Type.String(), { description: 'Keys of environments: no others are shown. Repeatable.' }),
  ),
};

/** With all environments, or with the given ones. Throws `not-found` when the flag or one of them does not exist. */
export async function readFlag(
  db: Db,
  project: Pick<Project, 'id'>,
  flagKey: string,
  environmentKeys?: readonly string[],
): Promise<FlagRecord> {
  const found = await findFlag(db, project.id, flagKey, environmentKeys);
  if (found === undefined) throw unknownThing('flag', flagKey);
  const missing = environmentKeys?.find((key) => !Object.hasOwn(found.flag.environments, key));
  if (missing !== undefined) throw unknownThing('environment', missing);
  return found;
}
