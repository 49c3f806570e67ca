// Flags that need other flags: what must not happen because of it.
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { areEqual } from '../../kernel/patch/json-value.ts';
import { problem } from '../../kernel/schema.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from './flag.ts';
import { doesAnyNeed, holdNeeds, listDependents, type Dependent } from './store-prerequisites.ts';
import { findFlags, type Place } from './store.ts';

/** Whether `checkRelations` has something to look at. */
export function touchesRelations(before: Flag, after: Flag, environments: readonly Place[]): boolean {
  return takesAway(before, after) || wantingOf(before, after, environments).length > 0;
}

/** The environments in which it needs others than before. */
function wantingOf(before: Flag, after: Flag, environments: readonly Place[]): Place[] {
  return environments.filter(({ key }) => {
    const old = before.environments[key]?.prerequisites ?? [];
    return !areEqual(old, after.environments[key]!.prerequisites);
  });
}

/** Whether something goes that others may need. */
function takesAway(before: Flag, after: Flag): boolean {
  return (
    (after.archived && !before.archived) ||
    before.variations.some(({ _id }, index) => after.variations[index]?._id !== _id)
  );
}

/** Looks at what changes between two states of a flag. Returns the ids of the flags it needs, by their keys. */
export async function checkRelations(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly Place[],
): Promise<Map<string, string>> {
  const wanting = wantingOf(before, after, environments);
  const isLess = takesAway(before, after);
  if (wanting.length === 0 && !isLess) return new Map();
  await holdNeeds(tx, after.projectId);
  if (isLess) checkDependents(await listDependents(tx, after.id), before, after);
  return wanting.length === 0 ? new Map() : await checkNeeds(tx, before, after, wanting);
}

/** Throws `conflict` while another flag needs this one. */
export async function checkUnneeded(tx: Db, flag: Flag): Promise<void> {
  await holdNeeds(tx, flag.projectId);
  const [first] = await listDependents(tx, flag.id);
  if (first !== undefined) throw needed(first, 'deleted');
}

/** Flags that are made anew need others from the beginning. */
export async function checkFirstNeeds(
  tx: Db,
  flag: Flag,
  environments: readonly Place[],
): Promise<Map<string, string>> {
  const none = Object.fromEntries(
    Object.entries(flag.environments).map(([key, config]) => [key, { ...config, prerequisites: [] }]),
  );
  return await checkRelations(tx, { ...flag, environments: none }, flag, environments);
}

function checkDependents(dependents: readonly Dependent[], before: Flag, after: Flag): void {
  const [first] = dependents;
  if (after.archived && !before.archived && first !== undefined) throw needed(first, 'archived');
  for (const { key, variation } of dependents) {
    if (before.variations[variation]?._id === after.variations[variation]?._id) continue;
    throw problem(
      `variations.${variation}`,
      `cannot be moved or removed: it is a prerequisite of the flag "${key}"`,
    );
  }
}

function needed({ key, environmentName }: Dependent, verb: string): Failure {
  return new Failure(
    'conflict',
    `The flag cannot be ${verb}: it is a prerequisite of the flag "${key}" in ${environmentName}.`,
    { code: 'conflict' },
  );
}

async function checkNeeds(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly Place[],
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
  if (await doesAnyNeed(tx, environmentId, ids, flag.id))
    throw problem(at, 'cannot go in a circle: one of them needs this flag itself');
}
