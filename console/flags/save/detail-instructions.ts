// Instructions about what flags and segments both have: a name, a description and tags.
import type { Instruction } from './instruction.ts';

interface Described {
  name: string;
  description: string;
  tags: readonly string[];
}

export function describedInstructions(before: Described, after: Described): Instruction[] {
  const added = after.tags.filter((tag) => !before.tags.includes(tag));
  const removed = before.tags.filter((tag) => !after.tags.includes(tag));
  return [
    ...(before.name === after.name ? [] : [{ kind: 'updateName', value: after.name }]),
    ...(before.description === after.description
      ? []
      : [{ kind: 'updateDescription', value: after.description }]),
    ...(added.length === 0 ? [] : [{ kind: 'addTags', values: added }]),
    ...(removed.length === 0 ? [] : [{ kind: 'removeTags', values: removed }]),
  ];
}

interface Available {
  usingEnvironmentId: boolean;
  usingMobileKey: boolean;
}

export function availabilityInstructions(before: Available, after: Available): Instruction[] {
  return (['usingEnvironmentId', 'usingMobileKey'] as const)
    .filter((value) => before[value] !== after[value])
    .map((value) => ({
      kind: after[value] ? 'turnOnClientSideAvailability' : 'turnOffClientSideAvailability',
      value,
    }));
}
