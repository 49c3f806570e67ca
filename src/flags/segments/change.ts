// The one way to change a segment, for every kind of patch and for what happens later by itself.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { problem } from '../../kernel/schema.ts';
import type { Change } from '../../kernel/change/change.ts';
import { demandAll } from '../../kernel/change/actor.ts';
import { unknownThing } from '../open.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentalResource } from '../resources.ts';
import { demandApproval } from './approval.ts';
import { requireUnlocked } from './big.ts';
import { actionsBetween, describeChanges } from './changes.ts';
import { forgetExpiring } from './expiring.ts';
import { findWaiting, letThrough } from './imports/begin.ts';
import { IMPORT_ACTIONS } from './imports/segment-import.ts';
import type { Draft } from './instructions.ts';
import { findStanding, saveMembership } from './store-members.ts';
import { keysOfSteps, planMembership } from './membership.ts';
import { advance, toDetail } from './model.ts';
import type { Segment } from './segment.ts';
import { holdSegment, saveSegment } from './store.ts';

export interface SegmentPlace {
  project: Project;
  environment: Environment;
  segmentKey: string;
}

export interface SegmentUpdate extends Pick<Change, 'comment' | 'update' | 'description'> {
  /**
   * Pure: what becomes of the segment, and the permissions that takes even where nothing changes. `isMoved` tells that
   * members came or went before, in pieces.
   */
  edit(before: Segment): Draft & { actions?: readonly string[]; isMoved?: boolean };
  verb?: string;
  /** Nobody is asked for an approval: it is done by itself, or by who was asked before. */
  isApproved?: boolean;
  /** Everything is checked, and nothing is kept. */
  dryRun?: boolean;
}

/** The same segment comes back where nothing changed. */
export async function changeSegment(
  on: ChangeTransaction,
  place: SegmentPlace,
  {
    edit,
    comment,
    update,
    verb = 'updated the segment',
    description,
    isApproved,
    dryRun = false,
  }: SegmentUpdate,
): Promise<Segment> {
  const { db: tx, actor } = on;
  const { project, environment, segmentKey } = place;
  const before = await holdSegment(tx, environment.id, segmentKey);
  if (before === undefined) throw unknownThing('segment', segmentKey);
  const { segment, steps, imports = [], actions = [], isMoved = false } = edit(before);
  const standing = steps.length === 0 ? new Map() : await findStanding(tx, before.id, keysOfSteps(steps));
  const plan = planMembership(standing, steps, before.unboundedContextKind ?? 'user');
  const moves = plan.put.length + plan.drop.length;
  const after = advance(
    before,
    {
      ...segment,
      includedCount: segment.includedCount + plan.included,
      excludedCount: segment.excludedCount + plan.excluded,
    },
    actor.now,
    moves > 0 || isMoved,
  );
  const resource = environmentalResource(project, environment, 'segment', before);
  const importing = imports.length === 0 ? [] : IMPORT_ACTIONS;
  const taken = new Set([...actionsBetween(before, after), ...actions, ...importing]);
  const [access, ...others] = [...taken].map((action) => ({ action, resource }));
  if (access === undefined) return before;
  demandAll(actor, [access, ...others]);
  if (moves > 0) requireUnlocked(before);
  const waiting = await findWaiting(tx, before, imports);
  if (after === before && waiting.length === 0) return before;
  if (isApproved !== true) demandApproval(actor, environment, before, resource);
  if (update !== undefined && environment.requireComments && (comment ?? '').trim() === '')
    throw problem('comment', `is required for changes in ${environment.name}`);
  if (dryRun) return after;
  if (after !== before) {
    await saveSegment(tx, before, after);
    await saveMembership(tx, before.id, plan);
    if (taken.has('updateIncluded') || taken.has('updateExcluded'))
      await forgetExpiring(tx, after, actor.now);
    on.record({
      accesses: [access, ...others],
      kind: 'segment',
      name: after.name,
      verb,
      description: description ?? describeChanges(before, after),
      before: toDetail(before, place),
      after: toDetail(after, place),
      comment,
      ...(update !== undefined && { update }),
    });
  }
  const [first] = waiting;
  if (first === undefined) return after;
  await letThrough(tx, first, { ...actor, comment });
  return { ...after, importing: first.mode };
}
