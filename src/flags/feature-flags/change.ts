// The one way to change a flag, for patches and for everything that applies patches later: schedules, approvals, triggers.
import { randomUUID } from 'node:crypto';
import { DUE } from '../../kernel/due.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Patch } from '../../kernel/patch/read.ts';
import { retryContested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { keepChange, prepareChange, type PreparedChange } from '../change.ts';
import { updateOf } from '../patching.ts';
import { listActiveWebhooks } from '../webhooks/store.ts';
import { findConflicts, refuseConflicts } from './conflicts.ts';
import { describe, verbOf } from './differences.ts';
import { draftChange, standsAlone, type Draft, type Rewriting } from './draft.ts';
import { removeFlag } from './drop.ts';
import { editFlag } from './edit.ts';
import { forgetExpiring } from './expiring-targets/targeted.ts';
import type { Flag } from './flag.ts';
import { applyInstructions, referencesOf } from './instructions/apply.ts';
import { readMaintainer } from './maintainer.ts';
import { checkRelations } from './relations.ts';
import { toDetail } from './representation.ts';
import { readScene, surroundingsOf } from './scene.ts';
import type { FlagActor, FlagPlace, Scene } from './scene.ts';
import type { ShownFlag } from './schemas.ts';
import { lockFlag } from './store.ts';
import { saveFlag, saveFlagAlone } from './writes.ts';

export type { FlagActor, FlagPlace } from './scene.ts';

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

/** In the transaction of the caller. */
export async function changeFlag(
  kernel: Kernel,
  tx: Db,
  actor: FlagActor,
  at: FlagPlace,
  update: FlagUpdate,
): Promise<FlagChange> {
  return await rewriteFlag(kernel, tx, actor, at, rewritingOf(actor, update));
}

/**
 * On its own: what changes the flag alone is one trip to the database, and else the transaction is the shorter as the flag
 * was read before. Where someone else was quicker, what was read is no good, and the patch is applied anew to the flag as it
 * is then, held by a transaction.
 */
export async function updateFlag(
  kernel: Kernel,
  actor: FlagActor,
  at: FlagPlace,
  update: FlagUpdate,
): Promise<FlagChange> {
  const { db } = kernel;
  const rewriting = rewritingOf(actor, update);
  const scene = await retryContested(() => readScene(db, at, rewriting.named));
  let draft: Draft | undefined = await draftChange(actor, scene, rewriting, new TimeSlice());
  if (standsAlone(draft)) {
    const kept = await keepAlone(kernel, actor, draft);
    if (kept !== undefined) return kept;
    draft = undefined;
  }
  return await db.transaction().execute((tx) => {
    const drafted = draft;
    draft = undefined; // it is good for one attempt
    return rewriteFlag(kernel, tx, actor, at, rewriting, drafted);
  });
}

function rewritingOf({ now }: FlagActor, { patch, ...options }: FlagUpdate): Rewriting {
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

/** In the transaction of the caller, too. */
export async function dropFlag(kernel: Kernel, tx: Db, actor: FlagActor, at: FlagPlace): Promise<void> {
  const edit: Rewriting['edit'] = (flag) => ({ flag, accesses: [{ action: 'deleteFlag' }], isDeleted: true });
  await rewriteFlag(kernel, tx, actor, at, { edit });
}

/** For changes that come in no patch; all else of `changeFlag` holds for them too. */
export async function rewriteFlag(
  kernel: Kernel,
  tx: Db,
  actor: FlagActor,
  at: FlagPlace,
  rewriting: Rewriting,
  drafted?: Draft,
): Promise<FlagChange> {
  const scene = await openScene(kernel, tx, at, rewriting, drafted?.scene);
  const draft = scene === drafted?.scene ? drafted : await draftChange(actor, scene, rewriting);
  const { before, after, isDeleted, shown: shownBefore } = draft;
  const { project, found } = scene;
  if (isDeleted) {
    await removeFlag(kernel.engine, tx, actor, draft);
    return { flag: before, before, isChanged: true, isDeleted: true, shown: shownBefore };
  }
  if (after === before) return unchanged(draft);
  const needs = await checkRelations(kernel.engine, tx, before, after, found.environments);
  const maintainer = await readMaintainer(tx, found, after);
  const shown = toDetail(after, surroundingsOf(project, { ...found, ...maintainer }));
  await checkConflicts(tx, actor, draft);
  if (rewriting.dryRun !== true) {
    await saveFlag(tx, found, after, needs, draft.asked);
    await forgetExpiring(tx, before, after, found.environments, actor.now);
    await keepChange(tx, prepareRecord(tx, actor, draft, shown));
  }
  return { flag: after, before, isChanged: true, shown };
}

/** What was seen before is not looked at again on SQLite: saving finds out whether it has changed. */
async function openScene(
  { engine }: Kernel,
  tx: Db,
  at: FlagPlace,
  { named }: Rewriting,
  seen: Scene | undefined,
): Promise<Scene> {
  if (engine.kind === 'sqlite') return seen ?? (await readScene(tx, at, named));
  const version = await lockFlag(tx, at.project.id, at.flagKey);
  return seen?.found.flag.version === version && seen !== undefined ? seen : await readScene(tx, at, named);
}

/** Everything that has to be known is read beforehand, where that holds up nobody. Undefined where it is contested. */
async function keepAlone(
  { db, engine }: Kernel,
  actor: FlagActor,
  draft: Draft,
): Promise<FlagChange | undefined> {
  const { before, after, rewriting, scene } = draft;
  if (after === before) return unchanged(draft);
  const shown = toDetail(after, surroundingsOf(scene.project, scene.found));
  const [webhooks] = await Promise.all([listActiveWebhooks(db), checkConflicts(db, actor, draft)]);
  if (rewriting.dryRun !== true) {
    const { entry, tell } = prepareRecord(db, actor, draft, shown);
    const told = tell(webhooks);
    if (!(await saveFlagAlone(engine, scene.found, after, draft.asked, [entry, ...told]))) return undefined;
    if (told.length > 0) await engine.notify(DUE);
  }
  return { flag: after, before, isChanged: true, shown };
}

function unchanged({ before, shown }: Draft): FlagChange {
  return { flag: before, before, isChanged: false, shown };
}

async function checkConflicts(db: Db, { now }: FlagActor, draft: Draft): Promise<void> {
  const { before, after, rewriting, scene } = draft;
  if (rewriting.ignoreConflicts === true) return;
  refuseConflicts(await findConflicts(db, before, after, scene.environments, { now }));
}

function prepareRecord(db: Db, actor: FlagActor, draft: Draft, shown: ShownFlag): PreparedChange {
  const { accesses, after, differences, rewriting } = draft;
  const [first, ...others] = accesses;
  if (first === undefined) throw new Failure('internal', 'A flag has changed without a permission.');
  return prepareChange(db, actor, {
    accesses: [first, ...others],
    kind: 'flag',
    name: after.name,
    verb: rewriting.verb ?? verbOf(differences),
    description: describe(differences),
    before: draft.shown,
    after: shown,
    comment: rewriting.comment,
    ...(rewriting.update !== undefined && { update: rewriting.update }),
  });
}
