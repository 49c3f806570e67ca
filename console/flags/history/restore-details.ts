// Instructions that give a flag back what it was as a whole: name, tags, maintainer and the like. Variations are not among them.
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

export function detailInstructions(now: FlagVersion, earlier: FlagVersion): Instruction[] {
  const before: Details = detailsOf(now);
  const after: Details = detailsOf(earlier);
  return [
    ...textInstructions(before, after),
    ...tagInstructions(before.tags, after.tags),
    ...stateInstructions(before, after),
    ...availabilityInstructions(before, after),
    ...maintainerInstructions(before, after),
    ...propertyInstructions(before.customProperties, after.customProperties),
  ];
}

/** An entry has the flag as the API shows it. */
function detailsOf(version: unknown): Details {
  return version as Details;
}

function textInstructions(before: Details, after: Details): Instruction[] {
  return [
    ...(before.name === after.name ? [] : [{ kind: 'updateName', value: after.name }]),
    ...(before.description === after.description
      ? []
      : [{ kind: 'updateDescription', value: after.description }]),
  ];
}

function tagInstructions(before: readonly string[], after: readonly string[]): Instruction[] {
  const added = after.filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => !after.includes(tag));
  return [
    ...(added.length === 0 ? [] : [{ kind: 'addTags', values: added }]),
    ...(removed.length === 0 ? [] : [{ kind: 'removeTags', values: removed }]),
  ];
}

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

function availabilityInstructions(before: Details, after: Details): Instruction[] {
  return (['usingEnvironmentId', 'usingMobileKey'] as const).flatMap((value) => {
    const isOn = after.clientSideAvailability[value];
    if (before.clientSideAvailability[value] === isOn) return [];
    return [{ kind: isOn ? 'turnOnClientSideAvailability' : 'turnOffClientSideAvailability', value }];
  });
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
