// Instructions that give a flag back what a change took from it as a whole: name, tags, maintainer and the like.
import { stableJson } from '../../ui/stable-json.ts';
import { availabilityInstructions, describedInstructions } from '../save/detail-instructions.ts';
import type { Instruction } from '../save/instruction.ts';
import type { FlagVersion } from './flag-version.ts';

interface Details {
  name: string;
  description: string;
  tags: string[];
  temporary: boolean;
  archived: boolean;
  deprecated: boolean;
  clientSideAvailability: { usingEnvironmentId: boolean; usingMobileKey: boolean };
  customProperties: Record<string, { name: string; value: string[] }>;
  maintainerId?: string;
  maintainerTeamKey?: string;
}

/** Only what differs between the two versions is brought back: what others have changed besides stays. */
export function detailInstructions(
  now: FlagVersion,
  earlier: FlagVersion,
  later: FlagVersion,
): Instruction[] {
  const before = detailsOf(now);
  const after = undo(before, detailsOf(earlier), detailsOf(later));
  return [
    ...describedInstructions(before, after),
    ...stateInstructions(before, after),
    ...availabilityInstructions(before.clientSideAvailability, after.clientSideAvailability),
    ...maintainerInstructions(before, after),
    ...propertyInstructions(before.customProperties, after.customProperties),
  ];
}

/** An entry has the flag as the API shows it. */
function detailsOf(version: unknown): Details {
  return version as Details;
}

function undo(now: Details, earlier: Details, later: Details): Details {
  const isChanged = (name: keyof Details) => stableJson(earlier[name]) !== stableJson(later[name]);
  const undone = { ...now } as Record<string, unknown>;
  for (const name of FIELDS) if (isChanged(name)) undone[name] = earlier[name];
  const gained = new Set(later.tags.filter((tag) => !earlier.tags.includes(tag)));
  const lost = earlier.tags.filter((tag) => !later.tags.includes(tag));
  const tags = [...new Set([...now.tags.filter((tag) => !gained.has(tag)), ...lost])];
  return { ...(undone as unknown as Details), tags };
}

const FIELDS = [
  'name',
  'description',
  'temporary',
  'archived',
  'deprecated',
  'clientSideAvailability',
  'customProperties',
  'maintainerId',
  'maintainerTeamKey',
] as const;

const STATES = [
  ['temporary', 'makeFlagTemporary', 'makeFlagPermanent'],
  ['archived', 'archiveFlag', 'restoreFlag'],
  ['deprecated', 'deprecateFlag', 'restoreDeprecatedFlag'],
] as const;

function stateInstructions(before: Details, after: Details): Instruction[] {
  return STATES.flatMap(([name, on, off]) =>
    before[name] === after[name] ? [] : [{ kind: after[name] ? on : off }],
  );
}

function maintainerInstructions(before: Details, after: Details): Instruction[] {
  const { maintainerId, maintainerTeamKey } = after;
  if (before.maintainerId === maintainerId && before.maintainerTeamKey === maintainerTeamKey) return [];
  if (maintainerId !== undefined) return [{ kind: 'updateMaintainerMember', value: maintainerId }];
  if (maintainerTeamKey !== undefined) return [{ kind: 'updateMaintainerTeam', value: maintainerTeamKey }];
  return [{ kind: 'removeMaintainer' }];
}

type Properties = Details['customProperties'];

function propertyInstructions(before: Properties, after: Properties): Instruction[] {
  const gone = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(
    ([key, property]) =>
      !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(property),
  );
  return [
    ...gone.map(([key, { value }]) => ({ kind: 'removeCustomProperties', key, values: value })),
    ...changed.map(([key, { name, value }]) => ({
      kind: 'replaceCustomProperties',
      key,
      name,
      values: value,
    })),
  ];
}
