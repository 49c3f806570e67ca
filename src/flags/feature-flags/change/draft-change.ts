// What becomes of a flag by a change: decided from what was read, while nothing is written yet.
import type { Access, Actor } from '../../../kernel/change/actor.ts';
import { areEqual } from '../../../kernel/patch/json-value.ts';
import { problem } from '../../../kernel/schema.ts';
import type { TimeSlice } from '../../../kernel/time-slice.ts';
import type { Change } from '../../../kernel/change/change.ts';
import { refuseIfDenied } from '../../denied.ts';
import type { Environment } from '../../projects/project.ts';
import { environmentalResource } from '../../resources.ts';
import { segmentKeysOf } from '../../segments/store-uses.ts';
import { demandApproval } from '../approval.ts';
import { differencesOf, type Difference } from './differences.ts';
import { haveSameTargets } from '../expiring-targets/targeted.ts';
import type { Flag } from '../flag.ts';
import type { References } from './instructions/apply.ts';
import { checkValues, tidyFlag, validateFlag, validateSize } from '../model.ts';
import { touchesRelations } from '../prerequisites.ts';
import { toDetail } from '../representation.ts';
import { demandNeeds, surroundingsOf } from './change-context.ts';
import type { Named, Need, Scene } from './change-context.ts';
import type { ShownFlag } from '../schemas.ts';

/** How a flag is to be changed, whatever it is that asks for it. */
export interface Rewriting {
  dryRun?: boolean;
  ignoreConflicts?: boolean;
  /** The key of the environment for which it was approved; in others it was not. Or `*`: that is not looked at. */
  approvedIn?: string;
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

export interface Draft {
  rewriting: Rewriting;
  scene: Scene;
  before: Flag;
  /** The same as `before` where nothing changes. */
  after: Flag;
  isDeleted: boolean;
  /** `before` in detail, as the API shows it. */
  shown: ShownFlag;
  differences: readonly Difference[];
  /** What the change takes. The actor has it. */
  accesses: readonly Access[];
  /** The environments whose settings decided whether it may be made. */
  asked: readonly Environment[];
}

/**
 * Fails where the actor may not do it, and where the flag would not be a good one by itself. Outside a transaction, where
 * nobody waits for it to end, a slice lets others have a turn between the steps of a large change.
 */
export async function draftChange(
  actor: Actor,
  scene: Scene,
  rewriting: Rewriting,
  slice?: TimeSlice,
): Promise<Draft> {
  const giveWay = () => (slice?.isOver === true ? slice.next() : undefined);
  const { project, found, environments, references } = scene;
  const { flag: before } = found;
  const shown = toDetail(before, surroundingsOf(project, found));
  const { flag, accesses: needs, isDeleted = false } = rewriting.edit(before, shown, references);
  await giveWay();
  if (!isDeleted) checkValues(flag.variations, before.variations);
  const after = settle(before, tidyFlag(flag), actor.now);
  const names = new Map(environments.map(({ key, name }) => [key, name]));
  const differences = differencesOf(before, after, names);
  const accesses = demandNeeds(actor, scene, needs ?? differences);
  await giveWay();
  if (!isDeleted && after !== before) {
    validateFlag(after);
    validateSize(before, after);
  }
  const draft = { rewriting, scene, before, after, isDeleted, shown, differences, accesses };
  const asked = checkEnvironments(actor, draft);
  await giveWay();
  return { ...draft, asked };
}

/** Whether nothing but the flag itself has to be looked at, or held, or kept true to it. */
export function standsAlone({ before, after, isDeleted, scene: { found } }: Draft): boolean {
  return (
    !isDeleted &&
    !touchesRelations(before, after, found.environments) &&
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

/** What the environments ask of every change to a flag in them. Returns those that were asked. */
function checkEnvironments(
  actor: Actor,
  { before, after, isDeleted, scene, rewriting }: Omit<Draft, 'asked'>,
): Environment[] {
  const { project, environments } = scene;
  const { approvedIn, comment = '' } = rewriting;
  const everywhere = isDeleted ? ['deleteFlag'] : servingActions(before, after);
  const asked: Environment[] = [];
  for (const environment of environments) {
    const { key, name, requireComments, approvalSettings } = environment;
    const resource = environmentalResource(project, environment, 'flag', before);
    for (const action of everywhere) refuseIfDenied(actor.caller, action, environment, resource);
    const isHere = before.environments[key] !== after.environments[key];
    if (isHere && !isDeleted && requireComments && comment.trim() === '')
      throw problem('comment', `is required for changes in ${name}`);
    // Whoever could take off the tag that asks for approval would need none.
    const isFreed = approvalSettings.requiredApprovalTags.some(
      (tag) => before.tags.includes(tag) && !after.tags.includes(tag),
    );
    if (!isHere && everywhere.length === 0 && !isFreed) continue;
    asked.push(environment);
    if (approvedIn === key || approvedIn === '*') continue;
    demandApproval(actor, environment, before, resource);
  }
  return asked;
}

/** The permissions for what changes about the flag itself and, by that, what is served in all environments. */
function servingActions(before: Flag, after: Flag): string[] {
  const values = new Map(after.variations.map(({ _id, value }) => [_id, value]));
  const hasOtherValues = before.variations.some(
    ({ _id, value }) => values.has(_id) && !areEqual(values.get(_id), value),
  );
  return [
    ...(before.archived === after.archived ? [] : ['updateGlobalArchived']),
    ...(hasOtherValues ? ['updateFlagVariations'] : []),
  ];
}
