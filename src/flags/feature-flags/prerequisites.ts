// The rules of prerequisites: they exist, have no cycles, and are neither deleted nor archived while in use.
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from './flag.ts';
import {
  dependsOn,
  findFlags,
  lockPrerequisites,
  listDependents,
  type Dependent,
} from './store-references.ts';
import type { EnvironmentRef } from './store.ts';

/** Whether `checkPrerequisites` has anything to check. */
export function affectsPrerequisites(
  before: Flag,
  after: Flag,
  environments: readonly EnvironmentRef[],
): boolean {
  return mayBreakDependents(before, after) || environmentsToCheck(before, after, environments).length > 0;
}

function environmentsToCheck(
  before: Flag,
  after: Flag,
  environments: readonly EnvironmentRef[],
): EnvironmentRef[] {
  return environments.filter(({ key }) => {
    const old = before.environments[key]?.prerequisites ?? [];
    return !areEqual(old, after.environments[key]!.prerequisites);
  });
}

/** Whether the change archives the flag, or moves or removes a variation. */
function mayBreakDependents(before: Flag, after: Flag): boolean {
  return (
    (after.archived && !before.archived) ||
    before.variations.some(({ _id }, index) => after.variations[index]?._id !== _id)
  );
}

/** Checks what differs between two states of a flag. Returns the ids of new prerequisites by their keys. */
export async function checkPrerequisites(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly EnvironmentRef[],
): Promise<Map<string, string>> {
  const changed = environmentsToCheck(before, after, environments);
  const isBreaking = mayBreakDependents(before, after);
  if (changed.length === 0 && !isBreaking) return new Map();
  await lockPrerequisites(tx, after.projectId);
  if (isBreaking) checkDependents(await listDependents(tx, after.id), before, after);
  return changed.length === 0 ? new Map() : await checkNewPrerequisites(tx, before, after, changed);
}

/** Throws `conflict` while the flag is a prerequisite of another. */
export async function checkNoDependents(tx: Db, flag: Flag): Promise<void> {
  await lockPrerequisites(tx, flag.projectId);
  const [first] = await listDependents(tx, flag.id);
  if (first !== undefined) throw prerequisiteConflict(first, 'deleted');
}

/** The same for a new flag, which had no prerequisites before. */
export async function checkFirstPrerequisites(
  tx: Db,
  flag: Flag,
  environments: readonly EnvironmentRef[],
): Promise<Map<string, string>> {
  const none = Object.fromEntries(
    Object.entries(flag.environments).map(([key, config]) => [key, { ...config, prerequisites: [] }]),
  );
  return await checkPrerequisites(tx, { ...flag, environments: none }, flag, environments);
}

function checkDependents(dependents: readonly Dependent[], before: Flag, after: Flag): void {
  const [first] = dependents;
  if (after.archived && !before.archived && first !== undefined)
    throw prerequisiteConflict(first, 'archived');
  for (const { key, variation } of dependents) {
    if (before.variations[variation]?._id === after.variations[variation]?._id) continue;
    throw problem(
      `variations.${variation}`,
      `cannot be moved or removed: it is a prerequisite of the flag "${key}"`,
    );
  }
}

function prerequisiteConflict({ key, environmentName }: Dependent, verb: string): Failure {
  return new Failure(
    'conflict',
    `The flag cannot be ${verb}: it is a prerequisite of the flag "${key}" in ${environmentName}.`,
    { code: 'conflict' },
  );
}

async function checkNewPrerequisites(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly EnvironmentRef[],
): Promise<Map<string, string>> {
  const keys = new Set(
    environments.flatMap(({ key }) => after.environments[key]!.prerequisites.map((needs) => needs.key)),
  );
  const flags = await findFlags(tx, after.projectId, [...keys]);
  for (const { id, key } of environments) {
    const at = `environments.${key}.prerequisites`;
    const { prerequisites } = after.environments[key]!;
    const had = new Set((before.environments[key]?.prerequisites ?? []).map((needs) => needs.key));
    for (const [index, needs] of prerequisites.entries()) {
      const flag = flags.get(needs.key);
      if (flag === undefined)
        throw problem(`${at}.${index}.key`, `names no flag of the project: "${needs.key}"`);
      if (flag.archived && !had.has(needs.key))
        throw problem(`${at}.${index}.key`, `names an archived flag: "${needs.key}"`);
      if (flag.variations[needs.variation] === undefined)
        throw problem(`${at}.${index}.variation`, `is no index of a variation of "${needs.key}"`);
    }
    const fresh = prerequisites.filter((needs) => !had.has(needs.key));
    await checkCycle(
      tx,
      id,
      after,
      fresh.map((needs) => flags.get(needs.key)!),
      at,
    );
  }
  return new Map([...flags].map(([key, { id }]) => [key, id]));
}

async function checkCycle(
  tx: Db,
  environmentId: Environment['id'],
  flag: Flag,
  needs: readonly Flag[],
  at: string,
): Promise<void> {
  if (needs.length === 0) return;
  const ids = needs.map(({ id }) => id);
  if (await dependsOn(tx, environmentId, ids, flag.id))
    throw problem(at, 'cannot go in a circle: one of them needs this flag itself');
}
