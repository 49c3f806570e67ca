// Changes a segment, for patches, imports and expiring targets: the difference gives the permissions it takes and the words for it.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Change } from '../../kernel/change/change.ts';
import {
  requireAllPermissions,
  requireAnyPermission,
  type Access,
  type ChangeActor,
} from '../../kernel/identity/actor.ts';
import { unknownThing } from '../find-project.ts';
import { requireVersion } from '../patch/if-match.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentalResource } from '../policy/resources.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { requireUnlocked, keysOfSteps, planMembership, type MembershipPlan } from './membership.ts';
import { pruneExpirations } from './expiring-targets.ts';
import { findWaitingImports, releaseImport } from './imports/begin-import.ts';
import { IMPORT_ACTIONS } from './imports/store.ts';
import type { SegmentDraft } from './instructions.ts';
import { findTargetTypes, updateMembership } from './store-members.ts';
import { nextVersion, toSegmentDetail } from './model.ts';
import type { Segment } from './segment.ts';
import { lockSegment, updateSegment, findSegmentById } from './store.ts';
import { requireSegmentApproval } from './approval.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findEnvironmentById } from '../environments/store.ts';
import { findProjects } from '../projects/store.ts';

export interface SegmentRef {
  project: Project;
  environment: Environment;
  segmentKey: string;
}

export interface SegmentUpdate extends Pick<Change, 'comment' | 'update' | 'description'> {
  /**
   * Pure: the segment after the change, and permissions that are required even if nothing changes. `membersChanged`
   * says that members were already added or removed, in batches.
   */
  edit(before: Segment): SegmentDraft & { actions?: readonly string[]; membersChanged?: boolean };
  verb?: string;
  /** Skips the approval check: for changes by the server, or approved ones. */
  isApproved?: boolean;
  /** All checks run, but nothing is stored. */
  dryRun?: boolean;
  /** The change is for these versions of the segment only. */
  versions?: readonly number[] | undefined;
}

/** Returns the same object if nothing changed. */
export async function changeSegment(
  tx: ChangeTransaction,
  place: SegmentRef,
  {
    edit,
    comment,
    update,
    verb = 'updated the segment',
    description,
    isApproved,
    dryRun = false,
    versions,
  }: SegmentUpdate,
): Promise<Segment> {
  const { db, actor } = tx;
  const { environment, segmentKey } = place;
  const found = await lockSegment(db, environment.id, segmentKey);
  if (found === undefined) throw unknownThing('segment', segmentKey);
  requireVersion(versions, { kind: 'segment', version: found.version });
  const edited = await applySegmentEdit(tx, place, found, edit);
  const { before, after, plan, moves, imports, resource, taken } = edited;
  const [access, ...others] = requireSegmentPermissions(actor, edited);
  if (access === undefined) return before;
  if (moves > 0) requireUnlocked(before);
  const waiting = await findWaitingImports(db, before, imports);
  if (after === before && waiting.length === 0) return before;
  if (isApproved !== true) requireSegmentApproval(actor, environment, before, resource);
  if (update !== undefined && environment.requireComments && (comment ?? '').trim() === '')
    throw problem('comment', `is required for changes in ${environment.name}`);
  if (dryRun) return after;
  if (after !== before) {
    await updateSegment(db, before, after);
    await updateMembership(db, before.id, plan);
    if (taken.has('updateIncluded') || taken.has('updateExcluded'))
      await pruneExpirations(db, after, actor.now);
    tx.record({
      accesses: [access, ...others],
      kind: 'segment',
      name: after.name,
      verb,
      description: description ?? describeSegmentChanges(before, after),
      before: toSegmentDetail(before, place),
      after: toSegmentDetail(after, place),
      comment,
      ...(update !== undefined && { update }),
    });
  }
  const [first] = waiting;
  if (first === undefined) return after;
  await releaseImport(db, first, { ...actor, comment });
  return { ...after, importing: first.mode };
}

/** A change of a segment that is applied and not checked. */
export interface EditedSegment {
  before: Segment;
  /** Identical to `before` when nothing changes. */
  after: Segment;
  plan: MembershipPlan;
  /** How many members of a big segment are added, moved or removed. */
  moves: number;
  /** The imports that it releases. */
  imports: readonly string[];
  resource: string;
  /** The actions that it takes. */
  taken: ReadonlySet<string>;
}

export async function applySegmentEdit(
  { db, actor }: { db: Db; actor: Pick<ChangeActor, 'now'> },
  { project, environment }: Omit<SegmentRef, 'segmentKey'>,
  before: Segment,
  edit: SegmentUpdate['edit'],
): Promise<EditedSegment> {
  const { segment, steps, imports = [], actions = [], membersChanged = false } = edit(before);
  const targetTypes =
    steps.length === 0 ? new Map() : await findTargetTypes(db, before.id, keysOfSteps(steps));
  const plan = planMembership(targetTypes, steps, before.unboundedContextKind ?? 'user');
  const moves = plan.upsert.length + plan.remove.length;
  const after = nextVersion(
    before,
    {
      ...segment,
      includedCount: segment.includedCount + plan.included,
      excludedCount: segment.excludedCount + plan.excluded,
    },
    actor.now,
    moves > 0 || membersChanged,
  );
  const resource = environmentalResource(project, environment, 'segment', before);
  const importing = imports.length === 0 ? [] : IMPORT_ACTIONS;
  const taken = new Set([...actionsBetween(before, after), ...actions, ...importing]);
  return { before, after, plan, moves, imports, resource, taken };
}

/** Throws unless the actor may make the change. Returns what it takes; a change of nothing takes one permission of any. */
export function requireSegmentPermissions(
  actor: Pick<ChangeActor, 'can' | 'requirePermission'>,
  { taken, resource }: Pick<EditedSegment, 'taken' | 'resource'>,
): Access[] {
  const accesses = [...taken].map((action) => ({ action, resource }));
  if (accesses.length === 0) requireAnyPermission(actor, SEGMENT_ACTIONS, resource);
  requireAllPermissions(actor, accesses);
  return accesses;
}

const MEMBERS: Record<string, readonly (keyof Segment)[]> = {
  updateName: ['name'],
  updateDescription: ['description'],
  updateTags: ['tags'],
  updateIncluded: ['included', 'includedContexts', 'includedCount'],
  updateExcluded: ['excluded', 'excludedContexts', 'excludedCount'],
  updateRules: ['rules'],
};

export const SEGMENT_ACTIONS = Object.keys(MEMBERS);

/** The actions that are required to change one into the other. */
export function actionsBetween(before: Segment, after: Segment): string[] {
  return Object.entries(MEMBERS)
    .filter(([, members]) => members.some((member) => !areEqual(before[member], after[member])))
    .map(([action]) => action);
}

/** One line for each difference, in Markdown. */
export function describeSegmentChanges(before: Segment, after: Segment): string {
  const actions = actionsBetween(before, after);
  return actions.map((action) => `- ${describeSegmentChange(action, before, after)}`).join('\n');
}

/** `action` is one of `actionsBetween`. */
export function describeSegmentChange(action: string, before: Segment, after: Segment): string {
  return WORDS[action]!(before, after);
}

const WORDS: Record<string, (before: Segment, after: Segment) => string> = {
  updateName: (before, after) => `Changed the name from \`${before.name}\` to \`${after.name}\``,
  updateDescription: () => 'Changed the description',
  updateTags: (before, after) => `Changed the tags from ${listed(before.tags)} to ${listed(after.tags)}`,
  updateIncluded: () => 'Changed the included targets',
  updateExcluded: () => 'Changed the excluded targets',
  updateRules: (before, after) =>
    `Changed the rules: there were ${before.rules.length}, there are ${after.rules.length}`,
};

function listed(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.map((word) => `\`${word}\``).join(', ');
}

export async function findSegmentRef(db: Db, segmentId: string): Promise<SegmentRef | undefined> {
  const segment = await findSegmentById(db, segmentId);
  const environment = segment && (await findEnvironmentById(db, segment.environmentId));
  const [project] = environment === undefined ? [] : await findProjects(db, [environment.projectId]);
  return project && { project, environment: environment!, segmentKey: segment!.key };
}
