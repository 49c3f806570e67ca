// What every route about a flag begins with: its place in the path, the environments asked for, and the flag itself.
import { Type } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { unknownThing } from '../find-project.ts';
import type { Project } from '../projects/project.ts';
import { findFlag, type FoundFlag } from './store.ts';

export const ByFlag = Type.Object({ projectKey: Type.String(), featureFlagKey: Type.String() });

export const EnvQuery = {
  env: Type.Optional(
    Type.Array(Type.String(), { description: 'Keys of environments: no others are shown. Repeatable.' }),
  ),
};

/** With all environments unless some are asked for, which must exist. */
export async function readFound(
  db: Db,
  project: Pick<Project, 'id'>,
  flagKey: string,
  environmentKeys?: readonly string[],
): Promise<FoundFlag> {
  const found = await findFlag(db, project.id, flagKey, environmentKeys);
  if (found === undefined) throw unknownThing('flag', flagKey);
  const missing = environmentKeys?.find((key) => !Object.hasOwn(found.flag.environments, key));
  if (missing !== undefined) throw unknownThing('environment', missing);
  return found;
}
