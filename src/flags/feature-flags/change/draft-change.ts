// Drafts a change to a flag: applies the edit to what was read, finds the differences and checks them. Nothing is written.
import type { Access, ChangeActor } from '../../../kernel/identity/actor.ts';
import type { Change } from '../../../kernel/change/change.ts';
import { areEqual } from '../../../kernel/json/json-value.ts';
import { problem } from '../../../kernel/schema/schema.ts';
import type { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { refuseIfDenied, refuseIfLifted } from '../../policy-rules.ts';
import type { Environment } from '../../projects/project.ts';
import { environmentalResource } from '../../resources.ts';
import { segmentKeysOf } from '../../segments/store-uses.ts';
import { haveSameTargets } from '../expiring-targets/removed-targets.ts';
import type { Flag } from '../flag.ts';
import { checkValues, normalizeFlag, validateFlag, validateSize } from '../model.ts';
import { affectsPrerequisites } from '../prerequisites.ts';
import { toFlagDetail } from '../representation.ts';
import type { ShownFlag } from '../schemas.ts';
import {
  requireFlagApproval,
  requirePermissions,
  displayContextOf,
  type ChangeContext,
  type FlagPermission,
  type ReferenceKeys,
} from './change-context.ts';
import { differencesOf, FLAG_ACTIONS, type FlagDifference } from './differences.ts';
import type { References } from './instructions/apply.ts';

/** How a flag is to be edited: by a patch, a copy, or anything else. */
export interface FlagEdit {
  dryRun?: boolean;
  ignoreConflicts?: boolean;
  /** The key of the environment in which the edit was approved, or `*` to skip the check of approval everywhere. */
  approvedIn?: string;
  comment?: string | undefined;
  /** The patch as the audit log stores it. */
  update?: NonNullable<Change['update']>;
  /** The verb of the audit entry. Without it, the differences give the verb. */
  verb?: string;
  /** The other resources that `apply` needs to know. */
  referenceKeys?: ReferenceKeys;
  /** Pure. `shown` is the flag in detail. */
  apply(flag: Flag, shown: ShownFlag, references: References): EditedFlag;
}

export interface EditedFlag {
  flag: Flag;
  /** Without them, the differences give the permissions that the edit takes. */
  permissions?: readonly FlagPermission[];
  isDeleted?: boolean;
}

export interface FlagDraft {
  edit: FlagEdit;
  context: ChangeContext;
  before: Flag;
  /** Identical to `before` when nothing changes. */
  after: Flag;
  isDeleted: boolean;
  /** `before` in detail, as the API shows it. */
  shown: ShownFlag;
  differences: readonly FlagDifference[];
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
  const pause = () => (slice?.isOver === true ? slice.yieldToEventLoop() : undefined);
  const { project, found, environments, references } = context;
  const { flag: before } = found;
  const shown = toFlagDetail(before, displayContextOf(project, found));
  const { flag, permissions, isDeleted = false } = edit.apply(before, shown, references);
  await pause();
  if (!isDeleted) checkValues(flag.variations, before.variations);
  const after = raiseVersions(before, normalizeFlag(flag), actor.now);
  const names = new Map(environments.map(({ key, name }) => [key, name]));
  const differences = differencesOf(before, after, names);
  const accesses = requirePermissions(actor, context, permissions ?? differences);
  await pause();
  if (!isDeleted && after !== before) {
    validateFlag(after);
    validateSize(before, after);
  }
  const draft = { edit, context, before, after, isDeleted, shown, differences, accesses };
  const checked = checkEnvironments(actor, draft);
  await pause();
  return { ...draft, checked };
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

/** The actions that policies may deny on a flag with certain tags. */
const DENIABLE = [...FLAG_ACTIONS, 'deleteFlag', 'copyFlagConfigTo'];

/** Checks comments, denials and approvals in the environments that the change affects, and returns these environments. */
function checkEnvironments(
  actor: ChangeActor,
  { before, after, isDeleted, context, edit }: Omit<FlagDraft, 'checked'>,
): Environment[] {
  const { project, environments } = context;
  const { approvedIn, comment = '' } = edit;
  const everywhere = isDeleted ? ['deleteFlag'] : actionsEverywhere(before, after);
  const isServedOtherwise = isDeleted || servesOtherwise(before, after);
  const checked: Environment[] = [];
  for (const environment of environments) {
    const { key, name, requireComments, approvalSettings } = environment;
    const resource = environmentalResource(project, environment, 'flag', before);
    const retagged = environmentalResource(project, environment, 'flag', after);
    for (const action of everywhere) refuseIfDenied(actor.caller, action, environment, resource);
    if (before.tags !== after.tags) refuseIfLifted(actor.caller, DENIABLE, environment, resource, retagged);
    const isChangedHere = before.environments[key] !== after.environments[key];
    if (isChangedHere && !isDeleted && requireComments && comment.trim() === '')
      throw problem('comment', `is required for changes in ${name}`);
    // Removing a tag that requires approval itself requires it: else anyone could remove the tag first.
    const losesApprovalTag = approvalSettings.requiredApprovalTags.some(
      (tag) => before.tags.includes(tag) && !after.tags.includes(tag),
    );
    if (!isChangedHere && !isServedOtherwise && !losesApprovalTag) continue;
    checked.push(environment);
    if (approvedIn === key || approvedIn === '*') continue;
    requireFlagApproval(actor, environment, before, resource);
  }
  return checked;
}

/**
 * The fields of the flag itself that reach every environment, by the action that changes them. The others (name, description,
 * tags, maintainer, custom properties, temporary, deprecated, the names of variations, the defaults for new environments)
 * reach no SDK: for them the permission in any environment is enough.
 */
const DELIVERED: Record<string, (flag: Flag) => unknown> = {
  updateGlobalArchived: ({ archived }) => archived,
  updateFlagVariations: ({ variations }) => variations.map(({ value }) => value),
  updateClientSideFlagAvailability: ({ clientSideAvailability }) => clientSideAvailability,
};

/** The actions that must not be denied in any environment: who is denied one of them in one does not change it. */
function actionsEverywhere(before: Flag, after: Flag): string[] {
  if (before === after) return [];
  return Object.keys(DELIVERED).filter(
    (action) => !areEqual(DELIVERED[action]!(before), DELIVERED[action]!(after)),
  );
}

/** Whether all environments serve something else: the flag came from or went to the archive, or a variation has another value. */
function servesOtherwise(before: Flag, after: Flag): boolean {
  if (before.archived !== after.archived) return true;
  const values = new Map(after.variations.map(({ _id, value }) => [_id, value]));
  return before.variations.some(({ _id, value }) => values.has(_id) && !areEqual(values.get(_id), value));
}
