// An example of every kind of instruction, for tests: what it does, what it does the second time, and how it can be wrong.
import type { Instruction } from '../../../patch-body.ts';
import { clause, NEEDED, type Case, type Seen } from './case.ts';
import { environmentCases } from './environment-cases.ts';
import { flagCases } from './flag-cases.ts';

/** Brings a new flag into a state in which every instruction has something to do. */
export function prepare({ variations }: Seen, needed: Seen): Instruction[] {
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
  others: ReadonlyMap<string, Seen>,
  memberId: string,
  teamKey: string,
): Record<string, Case> {
  return { ...environmentCases(others), ...flagCases(memberId, teamKey) };
}

/** What undoes an instruction, so that it has something to do where a new flag is in that state already. */
export const undone: Record<string, Instruction> = {
  turnFlagOff: { kind: 'turnFlagOn' },
  makeFlagTemporary: { kind: 'makeFlagPermanent' },
  turnOffClientSideAvailability: { kind: 'turnOnClientSideAvailability', value: 'usingMobileKey' },
  restoreFlag: { kind: 'archiveFlag' },
  restoreDeprecatedFlag: { kind: 'deprecateFlag' },
};
