// The preview of a change to a flag: the patch is applied as the PATCH does it, and nothing is written.
import {
  applyEdit,
  readChangeContext,
  validateEdited,
  type EditedFlagChange,
  type FlagRef,
} from '../../flags/feature-flags/change/draft-change.ts';
import { editByInstructions } from '../../flags/feature-flags/change/flag-edit.ts';
import {
  affectsPrerequisites,
  checkNoDependents,
  checkPrerequisites,
} from '../../flags/feature-flags/prerequisites.ts';
import { displayContextOf, toFlagDetail } from '../../flags/feature-flags/representation.ts';
import { listDependents, readMaintainer } from '../../flags/feature-flags/store-references.ts';
import type { SemanticPatch } from '../../flags/patch/patch.ts';
import { findConflicts } from '../../flags/planned-changes/conflicts.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { retryContested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { changedFlagMembers, FLAG_PARTS } from './change-parts.ts';
import { guardFlagChange } from './guard.ts';
import { MAX_TOUCHED_COUNTED, MAX_TOUCHED, type ShownPreview } from './preview-model.ts';

export async function previewFlagChange(
  db: Db,
  actor: ChangeActor,
  ref: FlagRef,
  patch: SemanticPatch,
): Promise<ShownPreview> {
  const edited = await applyToFlag(db, actor, ref, patch);
  const { before, after, isDeleted, differences, context } = edited;
  const { found, environments } = context;
  await checkRelations(db, edited);
  const maintainer = await readMaintainer(db, found, after);
  const conflicts =
    isDeleted || after === before
      ? []
      : await findConflicts(db, before, after, environments, { now: actor.now });
  const shown = isDeleted
    ? null
    : toFlagDetail(after, displayContextOf(context.project, { ...found, ...maintainer }));
  const guard = guardFlagChange(actor, edited);
  return {
    version: before.version,
    sentences: isDeleted
      ? [{ sentence: 'Deleted the flag', part: 'flag' }]
      : differences.map(({ action, line, environmentKey }) => ({
          sentence: line,
          part: FLAG_PARTS[action],
          ...(environmentKey !== undefined && { environmentKey }),
        })),
    ...changedFlagMembers(edited.shown, shown),
    guard,
    ...(conflicts.length > 0 && { conflicts }),
    ...(await findTouched(db, before.id, guard.environments)),
  };
}

/** The saved flag with the instructions applied. Throws as the PATCH does where they are bad. */
export async function applyToFlag(
  db: Db,
  actor: Pick<ChangeActor, 'now'>,
  ref: FlagRef,
  patch: SemanticPatch,
): Promise<EditedFlagChange> {
  const edit = editByInstructions(actor, { patch });
  const context = await retryContested(() => readChangeContext(db, ref, edit.referenceKeys));
  const edited = await applyEdit(actor, context, edit, new TimeSlice());
  validateEdited(edited);
  return edited;
}

/** Throws where other flags make the change impossible. The checks hold a lock, so that they need a transaction. */
async function checkRelations(
  db: Db,
  { before, after, isDeleted, context }: EditedFlagChange,
): Promise<void> {
  const { environments } = context.found;
  if (isDeleted) await db.transaction().execute((tx) => checkNoDependents(tx, before));
  else if (after !== before && affectsPrerequisites(before, after, environments))
    await db.transaction().execute((tx) => checkPrerequisites(tx, before, after, environments));
}

/** The flags that have this one as a prerequisite in one of the environments. */
async function findTouched(
  db: Db,
  flagId: string,
  environmentKeys: readonly string[],
): Promise<Pick<ShownPreview, 'touches' | 'touchesTotal'>> {
  if (environmentKeys.length === 0) return {};
  const dependents = await listDependents(db, flagId, undefined, MAX_TOUCHED_COUNTED);
  const touched = Map.groupBy(
    dependents.filter(({ environmentKey }) => environmentKeys.includes(environmentKey)),
    ({ key }) => key,
  );
  if (touched.size === 0) return {};
  const touches = [...touched].slice(0, MAX_TOUCHED).map(([flag, places]) => ({
    flag,
    name: places[0]!.name,
    environments: places.map(({ environmentKey }) => environmentKey),
  }));
  return { touches, touchesTotal: touched.size };
}
