// The one way to change a flag: flag-edit (what is wanted) → draft-change with differences and permissions (read, apply, check) → write and record here; add-flag and new-flag create one.
import type { ChangeActor } from '../../../kernel/identity/actor.ts';
import type { Changes, ChangeTransaction, ChangePlan } from '../../../kernel/change/changes.ts';
import { areEqual } from '../../../kernel/json/json-value.ts';
import { awaitAll } from '../../../kernel/storage/execute-all.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { deleteExpiringTargetsOf } from '../../expiring-targets/store.ts';
import type { SemanticPatch } from '../../patch/patch.ts';
import { findConflicts, refuseConflicts } from '../../planned-changes/conflicts.ts';
import { listPlannedChanges, type PlannedChange } from '../../planned-changes/store.ts';
import { segmentKeysOf } from '../../segments/store-uses.ts';
import { deleteStaleExpiries, haveSameTargets } from './removed-targets.ts';
import type { Flag } from '../flag.ts';
import { affectsPrerequisites, checkNoDependents, checkPrerequisites } from '../prerequisites.ts';
import { displayContextOf, toFlagDetail } from '../representation.ts';
import type { ShownFlag } from '../schemas.ts';
import { readMaintainer } from '../store-references.ts';
import { deleteFlagRows, prepareFlagUpdate, updateFlag } from '../store-writes.ts';
import { draftChange, draftLocked, type FlagDraft, type FlagEntry, type FlagRef } from './draft-change.ts';
import { editByInstructions, editByPatch, type FlagEdit, type FlagPatch } from './flag-edit.ts';

export interface FlagChange {
  flag: Flag;
  before: Flag;
  isChanged: boolean;
  /** The patch deleted the flag; `flag` is its last state. */
  isDeleted?: true;
  /** `flag` in detail, as the API shows it. */
  shown: ShownFlag;
}

/** Changes a flag by instructions inside a running change: those of schedules, approvals, triggers and settings of contexts. */
export async function changeFlag(
  tx: ChangeTransaction,
  ref: FlagRef,
  patch: FlagPatch<SemanticPatch>,
): Promise<FlagChange> {
  return await editFlag(tx, ref, editByInstructions(tx.actor, patch));
}

/**
 * Changes a flag as a change of its own, drafted before any transaction. A change that affects the flag only is one round trip
 * to the database; any other takes a transaction, which reuses the draft. When somebody else has changed the flag since the
 * draft, the patch is applied again, in a transaction that locks the flag.
 */
export async function runFlagChange(
  changes: Changes,
  actor: ChangeActor,
  ref: FlagRef,
  patch: FlagPatch,
): Promise<FlagChange> {
  const edit = editByPatch(actor, patch);
  let drafted: FlagDraft | undefined;
  return await changes.plan(
    actor,
    async (db) => {
      const [draft, planned] = await awaitAll([
        draftChange(db, actor, ref, edit),
        edit.ignoreConflicts === true ? [] : listPlannedChanges(db, ref.project.id, ref.flagKey),
      ]);
      if (affectsFlagOnly(draft)) return await planChange(db, actor, draft, planned);
      drafted = draft;
      return undefined;
    },
    (tx) => {
      const draft = drafted;
      drafted = undefined; // a retry must not use it again
      return editFlag(tx, ref, edit, draft);
    },
  );
}

/** Whether the change concerns the flag's own rows only: no prerequisites, maintainer, expiring targets or segments. */
function affectsFlagOnly({ before, after, isDeleted, context: { found } }: FlagDraft): boolean {
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

/** Deletes a flag in all environments. Throws `conflict` while it is a prerequisite of another one. */
export async function removeFlag(tx: ChangeTransaction, ref: FlagRef): Promise<void> {
  const apply: FlagEdit['apply'] = (flag) => ({
    flag,
    permissions: [{ action: 'deleteFlag' }],
    isDeleted: true,
  });
  await editFlag(tx, ref, { apply });
}

/** Changes a flag inside a running change by any edit; `drafted` is reused when the flag has not changed since. */
export async function editFlag(
  tx: ChangeTransaction,
  ref: FlagRef,
  edit: FlagEdit,
  drafted?: FlagDraft,
): Promise<FlagChange> {
  const { db, actor } = tx;
  const draft = await draftLocked(db, actor, ref, edit, drafted);
  const { before, after, isDeleted, checked, entry, context } = draft;
  const { project, found } = context;
  if (entry === undefined) return unchanged(draft);
  if (isDeleted) return await deleteDrafted(tx, draft, entry);
  const prerequisiteIds = await checkPrerequisites(db, before, after, found.environments);
  const maintainer = await readMaintainer(db, found, after);
  const shown = toFlagDetail(after, displayContextOf(project, { ...found, ...maintainer }));
  await checkConflicts(db, actor, draft);
  if (edit.dryRun !== true) {
    await updateFlag(db, found, after, prerequisiteIds, checked);
    await deleteStaleExpiries(db, before, after, found.environments, actor.now);
    tx.record({ ...entry, after: shown });
  }
  return { flag: after, before, isChanged: true, shown };
}

async function deleteDrafted(
  tx: ChangeTransaction,
  { before, shown, edit }: FlagDraft,
  entry: FlagEntry,
): Promise<FlagChange> {
  await checkNoDependents(tx.db, before);
  if (edit.dryRun !== true) {
    await deleteFlagRows(tx.db, before);
    await deleteExpiringTargetsOf(tx.db, before.id);
    tx.record(entry);
  }
  return { flag: before, before, isChanged: true, isDeleted: true, shown };
}

/** The draft as statements that are sent at once, each conditional on the versions that were read. */
async function planChange(
  db: Db,
  actor: ChangeActor,
  draft: FlagDraft,
  planned: readonly PlannedChange[],
): Promise<ChangePlan<FlagChange>> {
  const { before, after, edit, context, checked, entry } = draft;
  if (entry === undefined) return { guards: [], statements: [], changes: [], result: unchanged(draft) };
  const shown = toFlagDetail(after, displayContextOf(context.project, context.found));
  const result = { flag: after, before, isChanged: true, shown };
  await checkConflicts(db, actor, draft, planned);
  if (edit.dryRun === true) return { guards: [], statements: [], changes: [], result };
  const prepared = prepareFlagUpdate(db, context.found, after, checked);
  return { ...prepared, changes: [{ ...entry, after: shown }], result };
}

function unchanged({ before, shown }: FlagDraft): FlagChange {
  return { flag: before, before, isChanged: false, shown };
}

async function checkConflicts(
  db: Db,
  { now }: ChangeActor,
  draft: FlagDraft,
  planned?: readonly PlannedChange[],
): Promise<void> {
  const { before, after, edit, context } = draft;
  if (edit.ignoreConflicts === true) return;
  refuseConflicts(await findConflicts(db, before, after, context.environments, { now, planned }));
}
