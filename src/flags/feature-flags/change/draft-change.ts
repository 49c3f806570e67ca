// Drafts a change to a flag: applies the edit to what was read, finds the differences and checks them. Nothing is written.
import type { Access, ChangeActor } from '../../../kernel/identity/actor.ts';
import { areEqual } from '../../../kernel/json/json-value.ts';
import type { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { requireVersion } from '../../patch/if-match.ts';
import type { Environment } from '../../projects/project.ts';
import { segmentKeysOf } from '../../segments/store-uses.ts';
import { haveSameTargets } from './removed-targets.ts';
import type { Flag } from '../flag.ts';
import { checkValues, normalizeFlag, validateFlag, validateSize } from '../model.ts';
import { affectsPrerequisites } from '../prerequisites.ts';
import { displayContextOf, toFlagDetail } from '../representation.ts';
import type { ShownFlag } from '../schemas.ts';
import type { ChangeContext } from './change-context.ts';
import { differencesOf, type FlagDifference } from './differences.ts';
import type { FlagEdit, FlagPermission } from './flag-edit.ts';
import { checkEnvironments, requirePermissions, type UncheckedChange } from './permissions.ts';

export interface FlagDraft extends EditedFlagChange {
  /** The permissions that the change takes. The actor has them. */
  accesses: readonly Access[];
  /** The environments whose settings decided that the change is allowed: it is void if one of them changes. */
  checked: readonly Environment[];
}

/**
 * Throws when the actor lacks a permission, or when the edited flag breaks a rule that can be checked without other flags.
 * Outside a transaction, `slice` lets other requests run between the steps of a large change.
 */
export async function draftChange(
  actor: ChangeActor,
  context: ChangeContext,
  edit: FlagEdit,
  slice?: TimeSlice,
): Promise<FlagDraft> {
  const edited = await applyEdit(actor, context, edit, slice);
  const accesses = requirePermissions(actor, context, edited.permissions);
  await pause(slice);
  validateEdited(edited);
  const checked = checkEnvironments(actor, edited);
  await pause(slice);
  return { ...edited, accesses, checked };
}

/** A change that is applied and not checked: neither who makes it, nor whether the flag breaks a rule. */
export interface EditedFlagChange extends UncheckedChange {
  /** `before` in detail, as the API shows it. */
  shown: ShownFlag;
  differences: readonly FlagDifference[];
  permissions: readonly FlagPermission[];
}

export async function applyEdit(
  { now }: Pick<ChangeActor, 'now'>,
  context: ChangeContext,
  edit: FlagEdit,
  slice?: TimeSlice,
): Promise<EditedFlagChange> {
  const { project, found, environments, references } = context;
  const { flag: before } = found;
  requireVersion(edit.versions, { kind: 'flag', version: before.version });
  const shown = toFlagDetail(before, displayContextOf(project, found));
  const { flag, permissions, isDeleted = false } = edit.apply(before, shown, references);
  await pause(slice);
  if (!isDeleted) checkValues(flag.variations, before.variations);
  const after = raiseVersions(before, normalizeFlag(flag), now);
  const names = new Map(environments.map(({ key, name }) => [key, name]));
  const differences = differencesOf(before, after, names);
  const required = permissions ?? differences;
  return { edit, context, before, after, isDeleted, shown, differences, permissions: required };
}

/** Throws when the edited flag breaks a rule that can be checked without other flags. */
export function validateEdited({ before, after, isDeleted }: EditedFlagChange): void {
  if (isDeleted || after === before) return;
  validateFlag(after);
  validateSize(before, after);
}

function pause(slice: TimeSlice | undefined): Promise<void> | undefined {
  return slice?.isOver === true ? slice.yieldToEventLoop() : undefined;
}

/** Whether the change concerns the flag's own rows only: no prerequisites, maintainer, expiring targets or segments. */
export function affectsFlagOnly({ before, after, isDeleted, context: { found } }: FlagDraft): boolean {
  return (
    !isDeleted &&
    !affectsPrerequisites(before, after, found.environments) &&
    before.maintainerId === after.maintainerId &&
    before.maintainerTeamKey === after.maintainerTeamKey &&
    found.environments.every(({ key }) => {
      const [old, config] = [before.environments[key]!, after.environments[key]!];
      return (
        old === config ||
        (haveSameTargets(old, config) && areEqual(segmentKeysOf(old), segmentKeysOf(config)))
      );
    })
  );
}

/** Returns `before` itself when nothing changed. Else raises the versions of the flag and of the changed configurations. */
function raiseVersions(before: Flag, wanted: Flag, now: number): Flag {
  const environments = Object.fromEntries(
    Object.entries(before.environments).map(([key, old]) => {
      const config = wanted.environments[key] ?? old;
      if (areEqual(config, old)) return [key, old];
      return [key, { ...config, version: old.version + 1, lastModified: now }];
    }),
  );
  const isSame = Object.keys(environments).every((key) => environments[key] === before.environments[key]);
  if (isSame && areEqual({ ...wanted, environments: null }, { ...before, environments: null })) return before;
  return { ...wanted, version: before.version + 1, environments };
}
