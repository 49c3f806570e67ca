// The one way to change a flag, for patches and for everything that applies patches later: schedules, approvals, triggers.
import { randomUUID } from 'node:crypto';
import type { Access } from '../../kernel/events.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { areEqual } from '../../kernel/patch/json-value.ts';
import type { Patch } from '../../kernel/patch/read.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { prepareChange, type Change, type PreparedChange } from '../change.ts';
import { updateOf } from '../patching.ts';
import type { Environment } from '../projects/project.ts';
import { environmentalResource } from '../resources.ts';
import { demandApproval } from './approval.ts';
import { findConflicts, refuseConflicts } from './conflicts.ts';
import { describe, differencesOf, verbOf, type Difference } from './differences.ts';
import { removeFlag } from './drop.ts';
import { editFlag } from './edit.ts';
import { forgetExpiring } from './expiring-targets/targeted.ts';
import type { Flag } from './flag.ts';
import { applyInstructions, referencesOf, type References } from './instructions/apply.ts';
import { readMaintainer } from './maintainer.ts';
import { problem, tidyFlag, validateFlag, validateSize } from './model.ts';
import { checkRelations } from './relations.ts';
import { toDetail } from './representation.ts';
import { demandNeeds, readScene, surroundingsOf } from './scene.ts';
import type { FlagActor, FlagPlace, Named, Need, Scene } from './scene.ts';
import type { ShownFlag } from './schemas.ts';
import { lockFlag } from './store.ts';
import { isStale, saveFlag } from './writes.ts';

export type { FlagActor, FlagPlace } from './scene.ts';

export interface FlagUpdate {
  patch: Patch;
  dryRun?: boolean;
  ignoreConflicts?: boolean;
  /** The change was approved. */
  bypass?: 'approval';
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
 * In a transaction of its own, which is the shorter as the flag was read before. Where someone else was quicker, what was
 * read is no good, and all is done again inside.
 */
export async function updateFlag(
  kernel: Kernel,
  actor: FlagActor,
  at: FlagPlace,
  update: FlagUpdate,
): Promise<FlagChange> {
  const { db } = kernel;
  const rewriting = rewritingOf(actor, update);
  const seen = await readScene(db, at, rewriting.named);
  try {
    return await db.transaction().execute((tx) => rewriteFlag(kernel, tx, actor, at, rewriting, seen));
  } catch (error) {
    if (!isStale(error)) throw error;
  }
  return await db.transaction().execute((tx) => rewriteFlag(kernel, tx, actor, at, rewriting));
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

export interface Rewriting extends Omit<FlagUpdate, 'patch'> {
  comment?: string | undefined;
  /** The update as the audit log keeps it. */
  update?: NonNullable<Change['update']>;
  /** What it is called there, if not by what has changed. */
  verb?: string;
  /** What `edit` has to know of other things. */
  named?: Named;
  /** Pure. Without `accesses` what it takes is told by what has changed. */
  edit(flag: Flag, shown: ShownFlag, references: References): Edited;
}

export interface Edited {
  flag: Flag;
  accesses?: readonly Need[];
  isDeleted?: boolean;
}

/** For changes that come in no patch; all else of `changeFlag` holds for them too. */
export async function rewriteFlag(
  kernel: Kernel,
  tx: Db,
  actor: FlagActor,
  at: FlagPlace,
  rewriting: Rewriting,
  seen?: Scene,
): Promise<FlagChange> {
  const scene = await openScene(kernel, tx, at, rewriting.named, seen);
  const { project, found, environments, references } = scene;
  const { flag: before } = found;
  const shownBefore = toDetail(before, surroundingsOf(project, found));
  const edited = rewriting.edit(before, shownBefore, references);
  const after = settle(before, tidyFlag(edited.flag), actor.now);
  const names = new Map(environments.map(({ key, name }) => [key, name]));
  const differences = differencesOf(before, after, names);
  const accesses = demandNeeds(actor, scene, edited.accesses ?? differences);
  if (edited.isDeleted) {
    if (rewriting.dryRun !== true) await removeFlag(kernel, tx, actor, scene, rewriting);
    return { flag: before, before, isChanged: true, isDeleted: true, shown: shownBefore };
  }
  if (after === before) return { flag: before, before, isChanged: false, shown: shownBefore };
  validateFlag(after);
  validateSize(before, after);
  const needs = await checkRelations(kernel.engine, tx, before, after, found.environments);
  const maintainer = await readMaintainer(tx, found, after);
  const changed = environments.filter(({ key }) => before.environments[key] !== after.environments[key]);
  checkEnvironments(actor, scene, changed, rewriting);
  const shown = toDetail(after, surroundingsOf(project, { ...found, ...maintainer }));
  if (rewriting.ignoreConflicts !== true) {
    // What is pending may be read beside the transaction, where that holds up nobody.
    const isBeside = seen !== undefined && kernel.engine.kind === 'sqlite';
    const db = isBeside ? kernel.db : tx;
    refuseConflicts(await findConflicts(db, before, after, environments, { now: actor.now }));
  }
  if (rewriting.dryRun !== true) {
    const recording = { accesses, flag: after, differences, rewriting, before: shownBefore, after: shown };
    const { statements, tell } = prepareRecord(tx, actor, recording);
    const results = await saveFlag(tx, found, after, needs, statements);
    await forgetExpiring(tx, before, after, found.environments, actor.now);
    await tell(results);
  }
  return { flag: after, before, isChanged: true, shown };
}

/** On SQLite what was seen before is not looked at again: saving finds out whether it has changed. */
async function openScene(
  { engine }: Kernel,
  tx: Db,
  at: FlagPlace,
  named: Named | undefined,
  seen: Scene | undefined,
): Promise<Scene> {
  if (engine.kind === 'sqlite') return seen ?? (await readScene(tx, at, named));
  const version = await lockFlag(tx, at.project.id, at.flagKey);
  return seen?.found.flag.version === version && seen !== undefined ? seen : await readScene(tx, at, named);
}

/** The same flag where nothing changed; else with versions gone up, its own and those of the environments that changed. */
function settle(before: Flag, wanted: Flag, now: number): Flag {
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

/** What the environments ask of every change to a flag in them. */
function checkEnvironments(
  actor: FlagActor,
  { project, found: { flag } }: Scene,
  changed: readonly Environment[],
  { bypass, comment = '' }: Rewriting,
): void {
  for (const environment of changed) {
    if (environment.requireComments && comment.trim() === '')
      throw problem('comment', `is required for changes in ${environment.name}`);
    if (bypass === 'approval') continue;
    demandApproval(actor, environment, flag, environmentalResource(project, environment, 'flag', flag));
  }
}

interface Recording {
  accesses: readonly Access[];
  flag: Flag;
  differences: readonly Difference[];
  rewriting: Rewriting;
  before: ShownFlag;
  after: ShownFlag;
}

function prepareRecord(tx: Db, actor: FlagActor, recording: Recording): PreparedChange {
  const { accesses, flag, differences, rewriting, before, after } = recording;
  const [first, ...others] = accesses;
  if (first === undefined) throw new Failure('internal', 'A flag has changed without a permission.');
  return prepareChange(tx, actor, {
    accesses: [first, ...others],
    kind: 'flag',
    name: flag.name,
    verb: rewriting.verb ?? verbOf(differences),
    description: describe(differences),
    before,
    after,
    comment: rewriting.comment,
    ...(rewriting.update !== undefined && { update: rewriting.update }),
  });
}
