// The context of a change to a flag: what is read, or locked and read, before the change is decided.
import { awaitAll } from '../../../kernel/storage/execute-all.ts';
import { onOneConnection } from '../../../kernel/storage/one-connection.ts';
import { contested } from '../../../kernel/storage/retry.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { listEnvironments } from '../../environments/store.ts';
import { unknownThing } from '../../find-project.ts';
import type { Environment, Project } from '../../projects/project.ts';
import { findReferences } from '../store-references.ts';
import { findFlag, lockFlag, type FlagRecord } from '../store.ts';
import type { ReferenceKeys, References } from './instructions/kind.ts';

export interface FlagRef {
  project: Project;
  flagKey: string;
}

export interface ChangeContext {
  project: Project;
  found: FlagRecord;
  environments: readonly Environment[];
  references: References;
}

/** Locks the flag. Where the engine has no row locks, `updateFlag` finds out whether the flag has changed since it was read. */
export async function lockContext(
  tx: Db,
  ref: FlagRef,
  referenceKeys: ReferenceKeys | undefined,
  known: ChangeContext | undefined,
): Promise<ChangeContext> {
  const held = await lockFlag(tx, ref.project.id, ref.flagKey);
  const isSame = held === undefined || held[0]?.version === known?.found.flag.version;
  return known !== undefined && isSame ? known : await readChangeContext(tx, ref, referenceKeys);
}

const NO_REFERENCES: ReferenceKeys = { flagKeys: [], memberIds: [], teamKeys: [] };

export async function readChangeContext(
  db: Db,
  { project, flagKey }: FlagRef,
  keys = NO_REFERENCES,
): Promise<ChangeContext> {
  const [found, environments, references] = await onOneConnection(db, (one) =>
    awaitAll([
      findFlag(one, project.id, flagKey),
      listEnvironments(one, project.id),
      findReferences(one, project.id, keys),
    ]),
  );
  if (found === undefined) throw unknownThing('flag', flagKey);
  // Two statements read the environments, and one may have been added or deleted in between.
  const ids = new Set(found.environments.map(({ id }) => id));
  if (environments.length !== ids.size || !environments.every(({ id }) => ids.has(id)))
    throw contested('environments');
  return { project, found, environments, references };
}
