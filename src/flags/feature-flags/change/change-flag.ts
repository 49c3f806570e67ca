// The one way to change a flag, for patches and for everything that applies patches later: schedules, approvals, triggers.
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../../kernel/change/actor.ts';
import type { Change } from '../../../kernel/change/change.ts';
import type { Changes, ChangeTransaction, ChangePlan } from '../../../kernel/change/changes.ts';
import { Failure } from '../../../kernel/failure.ts';
import type { Patch } from '../../patch-body.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { TimeSlice } from '../../../kernel/time-slice.ts';
import { updateOf } from '../../resource-patch.ts';
import { findConflicts, refuseConflicts } from '../../planned-changes/conflicts.ts';
import { describe, verbOf } from './differences.ts';
import { draftChange, standsAlone, type Draft, type Rewriting } from './draft-change.ts';
import { removeFlag } from '../drop.ts';
import { editFlag } from './patch-flag.ts';
import { forgetExpiring } from '../expiring-targets/targeted.ts';
import type { Flag } from '../flag.ts';
import { applyInstructions, referencesOf } from './instructions/apply.ts';
import { readMaintainer } from '../store-maintainers.ts';
import { checkRelations } from '../prerequisites.ts';
import { toDetail } from '../representation.ts';
import { readScene, surroundingsOf } from './change-context.ts';
import type { FlagPlace, Scene } from './change-context.ts';
import type { ShownFlag } from '../schemas.ts';
import { holdFlag } from '../store.ts';
import { planFlag, saveFlag } from '../store-writes.ts';

export type { FlagPlace } from './change-context.ts';

export interface FlagUpdate extends Pick<Rewriting, 'dryRun' | 'ignoreConflicts' | 'approvedIn'> {
  patch: Patch;
}

export interface FlagChange {
  flag: Flag;
  before: Flag;
  isChanged: boolean;
  /** The patch deleted it; `flag` is as it was last. */
  isDeleted?: true;
  /** `flag` in detail, as the API shows it. */
  shown: ShownFlag;
}

/** Inside a change. */
export async function changeFlag(
  on: ChangeTransaction,
  at: FlagPlace,
  update: FlagUpdate,
): Promise<FlagChange> {
  return await rewriteFlag(on, at, rewritingOf(on.actor, update));
}

/**
 * On its own: what changes the flag alone is one trip to the database, and else the transaction is the shorter as the flag
 * was read before. Where someone else was quicker, what was read is no good, and the patch is applied anew to the flag as it
 * is then, held by a transaction.
 */
export async function updateFlag(
  changes: Changes,
  actor: Actor,
  at: FlagPlace,
  update: FlagUpdate,
): Promise<FlagChange> {
  const rewriting = rewritingOf(actor, update);
  let drafted: Draft | undefined;
  return await changes.plan(
    actor,
    async (db) => {
      const scene = await readScene(db, at, rewriting.named);
      const draft = await draftChange(actor, scene, rewriting, new TimeSlice());
      if (standsAlone(draft)) return await planAlone(db, actor, draft);
      drafted = draft;
      return undefined;
    },
    (on) => {
      const draft = drafted;
      drafted = undefined; // it is good for one attempt
      return rewriteFlag(on, at, rewriting, draft);
    },
  );
}

function rewritingOf({ now }: Actor, { patch, ...options }: FlagUpdate): Rewriting {
  const newUuid = randomUUID;
  return {
    ...options,
    comment: patch.comment,
    update: updateOf(patch),
    ...(patch.kind === 'semantic' && { named: referencesOf(patch.instructions) }),
    edit(flag, shown, references) {
      if (patch.kind !== 'semantic') return { flag: editFlag(flag, shown, patch, { now, newUuid }) };
      const { instructions, environmentKey } = patch;
      const context = { now, newUuid, references, ...(environmentKey !== undefined && { environmentKey }) };
      return applyInstructions(flag, instructions, context);
    },
  };
}

export async function dropFlag(on: ChangeTransaction, at: FlagPlace): Promise<void> {
  const edit: Rewriting['edit'] = (flag) => ({ flag, accesses: [{ action: 'deleteFlag' }], isDeleted: true });
  await rewriteFlag(on, at, { edit });
}

/** For changes that come in no patch; all else of `changeFlag` holds for them too. */
export async function rewriteFlag(
  on: ChangeTransaction,
  at: FlagPlace,
  rewriting: Rewriting,
  drafted?: Draft,
): Promise<FlagChange> {
  const { db, actor } = on;
  const scene = await openScene(db, at, rewriting, drafted?.scene);
  const draft = scene === drafted?.scene ? drafted : await draftChange(actor, scene, rewriting);
  const { before, after, isDeleted, shown: shownBefore } = draft;
  const { project, found } = scene;
  if (isDeleted) {
    await removeFlag(on, draft);
    return { flag: before, before, isChanged: true, isDeleted: true, shown: shownBefore };
  }
  if (after === before) return unchanged(draft);
  const needs = await checkRelations(db, before, after, found.environments);
  const maintainer = await readMaintainer(db, found, after);
  const shown = toDetail(after, surroundingsOf(project, { ...found, ...maintainer }));
  await checkConflicts(db, actor, draft);
  if (rewriting.dryRun !== true) {
    await saveFlag(db, found, after, needs, draft.asked);
    await forgetExpiring(db, before, after, found.environments, actor.now);
    on.record(changeOf(draft, shown));
  }
  return { flag: after, before, isChanged: true, shown };
}

/** What was seen before is good where nobody has changed the flag since; else saving finds that out. */
async function openScene(
  tx: Db,
  at: FlagPlace,
  { named }: Rewriting,
  seen: Scene | undefined,
): Promise<Scene> {
  const held = await holdFlag(tx, at.project.id, at.flagKey);
  const isSame = held === undefined || held[0]?.version === seen?.found.flag.version;
  return seen !== undefined && isSame ? seen : await readScene(tx, at, named);
}

/** Everything that has to be known is read beforehand, where that holds up nobody. */
async function planAlone(db: Db, actor: Actor, draft: Draft): Promise<ChangePlan<FlagChange>> {
  const { before, after, rewriting, scene, asked } = draft;
  if (after === before) return { guards: [], statements: [], changes: [], result: unchanged(draft) };
  const shown = toDetail(after, surroundingsOf(scene.project, scene.found));
  const result = { flag: after, before, isChanged: true, shown };
  const verify = () => checkConflicts(db, actor, draft);
  if (rewriting.dryRun === true) {
    await verify();
    return { guards: [], statements: [], changes: [], result };
  }
  return { ...planFlag(db, scene.found, after, asked), changes: [changeOf(draft, shown)], verify, result };
}

function unchanged({ before, shown }: Draft): FlagChange {
  return { flag: before, before, isChanged: false, shown };
}

async function checkConflicts(db: Db, { now }: Actor, draft: Draft): Promise<void> {
  const { before, after, rewriting, scene } = draft;
  if (rewriting.ignoreConflicts === true) return;
  refuseConflicts(await findConflicts(db, before, after, scene.environments, { now }));
}

function changeOf(draft: Draft, shown: ShownFlag): Change {
  const { accesses, after, differences, rewriting } = draft;
  const [first, ...others] = accesses;
  if (first === undefined) throw new Failure('internal', 'A flag has changed without a permission.');
  return {
    accesses: [first, ...others],
    kind: 'flag',
    name: after.name,
    verb: rewriting.verb ?? verbOf(differences),
    description: describe(differences),
    before: draft.shown,
    after: shown,
    comment: rewriting.comment,
    ...(rewriting.update !== undefined && { update: rewriting.update }),
  };
}
