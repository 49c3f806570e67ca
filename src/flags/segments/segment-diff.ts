// Compares two versions of a segment: the permissions that the change requires, and its description.
import { areEqual } from '../../kernel/json/json-value.ts';
import type { Segment } from './segment.ts';

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
  return actions.map((action) => `- ${WORDS[action]!(before, after)}`).join('\n');
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
