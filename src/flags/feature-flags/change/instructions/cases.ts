// An example of every kind of instruction, for tests: its effect, its effect the second time, and a wrong parameter.
import type { Instruction } from '../../../patch/patch.ts';
import { clause, NEEDED, type Case, type CommonFlag } from './case.ts';
import { environmentCases } from './environment-cases.ts';
import { flagCases } from './flag-cases.ts';

/** Instructions after which every example changes something. */
export function prepare({ variations }: CommonFlag, needed: CommonFlag): Instruction[] {
  const [red, green, , blue] = variations.map(({ _id }) => _id);
  const halves = { [green!]: 50_000, [blue!]: 50_000 };
  return [
    { kind: 'addTargets', variationId: red, values: ['ada', 'bob'] },
    { kind: 'addTargets', variationId: green, values: ['acme'], contextKind: 'company' },
    { kind: 'addTargets', variationId: blue, values: ['cleo'] },
    { kind: 'addRule', variationId: red, clauses: [clause, { ...clause, attribute: 'country' }] },
    { kind: 'addRule', rolloutWeights: halves, clauses: [{ ...clause, negate: true }] },
    { kind: 'addPrerequisite', key: NEEDED, variationId: needed.variations[0]!._id },
    { kind: 'updateFallthroughVariationOrRollout', variationId: red },
    { kind: 'updateOffVariation', variationId: green },
    { kind: 'addTags', values: ['beta'] },
    { kind: 'addCustomProperties', key: 'ticket', name: 'Ticket', values: ['A-1', 'A-2'] },
  ];
}

/** `others` are the flags NEEDED and OTHER. */
export function casesFor(
  others: ReadonlyMap<string, CommonFlag>,
  memberId: string,
  teamKey: string,
): Record<string, Case> {
  return { ...environmentCases(others), ...flagCases(memberId, teamKey) };
}

/** Instructions that come before those which would change nothing on a new flag. */
export const undone: Record<string, Instruction> = {
  turnFlagOff: { kind: 'turnFlagOn' },
  makeFlagTemporary: { kind: 'makeFlagPermanent' },
  turnOffClientSideAvailability: { kind: 'turnOnClientSideAvailability', value: 'usingMobileKey' },
  restoreFlag: { kind: 'archiveFlag' },
  restoreDeprecatedFlag: { kind: 'deprecateFlag' },
};
