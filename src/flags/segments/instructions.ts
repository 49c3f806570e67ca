// The instructions of a segment's semantic patches.
import type { Instruction } from '../patch/patch.ts';
import { problem, Type, type Static, type TObject } from '../../kernel/schema/schema.ts';
import {
  ClauseId,
  ClauseInput,
  Clauses,
  ClauseValues,
  MAX_CLAUSES,
  RuleDescription,
  RuleId,
  addClauses,
  addClauseValues,
  changeRule,
  removeClauses,
  removeClauseValues,
  reorderRules,
  updateClause,
} from '../clauses.ts';
import {
  toKinds,
  unknownKind,
  type CheckedKind,
  type Parameters,
  inInstruction,
  requireFewInstructions,
} from '../patch/instructions.ts';
import { ContextKind, Description, Name, Tags, normalizeTags } from '../fields.ts';
import type { MembershipStep } from './membership.ts';
import { ContextKeys, MAX_SEGMENT_RULES, Weight } from './model.ts';
import { type Segment, type SegmentRule, type TargetType, addTargets, removeTargets } from './segment.ts';

/** The result of a patch: the segment, and the membership changes of a big one. */
export interface SegmentDraft {
  segment: Segment;
  steps: MembershipStep[];
  /** The ids of imports that the patch approves. */
  imports?: string[];
}

interface Row {
  /** The required permission. */
  action: string;
  /** What it does, for the documentation. */
  summary: string;
  parameters: Parameters;
  apply(draft: SegmentDraft, parameters: never, newId: () => string): SegmentDraft;
}

type Kind = Row & CheckedKind;

/** The number of keys that the instructions of one patch may name. */
const MAX_KEYS = 1500;

const ACTIONS = { included: 'updateIncluded', excluded: 'updateExcluded' } as const;

const ByClause = { clauseId: ClauseId };

const rows: Record<string, Row> = {
  updateName: edit('updateName', 'Rename the segment', { value: Name }, (segment, { value }) => ({
    ...segment,
    name: value,
  })),
  updateDescription: edit(
    'updateDescription',
    'Describe the segment',
    { value: Description },
    (segment, { value }) => ({ ...segment, description: value }),
  ),
  addTags: edit('updateTags', 'Add tags', { values: Tags }, (segment, { values }) => ({
    ...segment,
    tags: normalizeTags([...segment.tags, ...values]),
  })),
  removeTags: edit('updateTags', 'Remove tags', { values: Tags }, (segment, { values }) => ({
    ...segment,
    tags: segment.tags.filter((tag) => !values.includes(tag)),
  })),

  addIncludedTargets: targets('included', 'Include these contexts', addTargets),
  addExcludedTargets: targets('excluded', 'Exclude these contexts', addTargets),
  removeIncludedTargets: targets('included', 'No longer include these contexts', removeTargets),
  removeExcludedTargets: targets('excluded', 'No longer exclude these contexts', removeTargets),
  addIncludedUsers: users('included', 'Include these users', addTargets),
  addExcludedUsers: users('excluded', 'Exclude these users', addTargets),
  removeIncludedUsers: users('included', 'No longer include these users', removeTargets),
  removeExcludedUsers: users('excluded', 'No longer exclude these users', removeTargets),

  addBigSegmentIncludedTargets: members('included', 'add', 'Include these contexts in a big segment'),
  addBigSegmentExcludedTargets: members('excluded', 'add', 'Exclude these contexts from a big segment'),
  removeBigSegmentIncludedTargets: members('included', 'remove', 'No longer include these in a big segment'),
  removeBigSegmentExcludedTargets: members(
    'excluded',
    'remove',
    'No longer exclude these from a big segment',
  ),
  processBigSegmentImport: {
    action: 'updateIncluded',
    summary: 'Let an import into a big segment through that waits for approval',
    parameters: { importId: Type.String({ minLength: 1, maxLength: 64 }) },
    apply: (draft: SegmentDraft, { importId }: { importId: string }) => ({
      ...unbounded(draft),
      imports: [...(draft.imports ?? []), importId],
    }),
  },

  addRule: edit(
    'updateRules',
    'Add a rule after all others',
    { clauses: Clauses, description: Type.Optional(RuleDescription) },
    (segment, { clauses, description }, newId) => {
      const bare = { _id: newId(), clauses: [], ...(description !== undefined && { description }) };
      return { ...segment, rules: [...segment.rules, addClauses(bare, clauses, newId)] };
    },
  ),
  removeRule: edit(
    'updateRules',
    'Remove a rule, if it is there',
    { ruleId: RuleId },
    (segment, { ruleId }) => ({
      ...segment,
      rules: segment.rules.filter(({ _id }) => _id !== ruleId),
    }),
  ),
  reorderRules: edit(
    'updateRules',
    'Put all rules into this order',
    { ruleIds: Type.Array(RuleId, { maxItems: MAX_SEGMENT_RULES }) },
    (segment, { ruleIds }) => ({ ...segment, rules: reorderRules(segment.rules, ruleIds) }),
  ),
  addClauses: rule('Add clauses to a rule', { clauses: Clauses }, (old, { clauses }, newId) =>
    addClauses(old, clauses, newId),
  ),
  removeClauses: rule(
    'Remove clauses from a rule; one has to stay',
    { clauseIds: Type.Array(ClauseId, { minItems: 1, maxItems: MAX_CLAUSES }) },
    (old, { clauseIds }) => removeClauses(old, clauseIds),
  ),
  updateClause: rule('Replace a clause', { ...ByClause, clause: ClauseInput }, (old, { clauseId, clause }) =>
    updateClause(old, clauseId, clause),
  ),
  addValuesToClause: rule(
    'Add values to a clause',
    { ...ByClause, values: ClauseValues },
    (old, { clauseId, values }) => addClauseValues(old, clauseId, values),
  ),
  removeValuesFromClause: rule(
    'Remove values from a clause',
    { ...ByClause, values: ClauseValues },
    (old, { clauseId, values }) => removeClauseValues(old, clauseId, values),
  ),
  updateRuleDescription: rule(
    'Describe a rule',
    { description: RuleDescription },
    (old, { description }) => ({
      ...old,
      description,
    }),
  ),
  updateRuleRolloutAndContextKind: rule(
    'Have a rule hold for a share of the contexts of a kind',
    { weight: Weight, contextKind: ContextKind },
    (old, { weight, contextKind }) => ({ ...old, weight, rolloutContextKind: contextKind }),
  ),
};

export const segmentKinds: ReadonlyMap<string, Kind> = toKinds('SegmentInstruction', rows);

/** Applies all in order. Fails with the index of the first that cannot be applied. */
export function applySegmentInstructions(
  segment: Segment,
  instructions: readonly Instruction[],
  newId: () => string,
): SegmentDraft {
  requireFewInstructions(instructions);
  let draft: SegmentDraft = { segment, steps: [] };
  let keys = 0;
  for (const [index, instruction] of instructions.entries()) {
    inInstruction(index, instruction, () => {
      const { check, apply, action } = kindOf(instruction);
      check(instruction);
      if (action === 'updateIncluded' || action === 'updateExcluded') {
        keys += (instruction['values'] as string[] | undefined)?.length ?? 0;
        if (keys > MAX_KEYS)
          throw problem('values', `are more than ${MAX_KEYS} in all instructions together`);
      }
      draft = apply(draft, instruction as never, newId);
    });
  }
  return draft;
}

/** The permissions that instructions require, even if they change nothing. */
export function instructionActions(instructions: readonly Instruction[]): string[] {
  return [...new Set(instructions.map((instruction) => kindOf(instruction).action))];
}

function kindOf({ kind }: Instruction): Kind {
  const known = segmentKinds.get(kind);
  if (known === undefined) throw unknownKind('segments', segmentKinds.keys());
  return known;
}

type Values<P extends Parameters> = Static<TObject<P>>;

function edit<P extends Parameters>(
  action: string,
  summary: string,
  parameters: P,
  change: (segment: Segment, parameters: Values<P>, newId: () => string) => Segment,
): Row {
  const apply = ({ segment, ...rest }: SegmentDraft, values: Values<P>, newId: () => string) => ({
    ...rest,
    segment: change(segment, values, newId),
  });
  return { action, summary, parameters, apply };
}

function rule<P extends Parameters>(
  summary: string,
  parameters: P,
  change: (rule: SegmentRule, parameters: Values<P>, newId: () => string) => SegmentRule,
): Row {
  const apply = (
    { segment, ...rest }: SegmentDraft,
    values: Values<P> & { ruleId: string },
    newId: () => string,
  ) => ({
    ...rest,
    segment: {
      ...segment,
      rules: changeRule(segment.rules, values.ruleId, (old) => change(old, values, newId)),
    },
  });
  return { action: 'updateRules', summary, parameters: { ruleId: RuleId, ...parameters }, apply };
}

type ChangeTargets = typeof addTargets<Segment>;

function targets(type: TargetType, summary: string, change: ChangeTargets): Row {
  const parameters = { contextKind: ContextKind, values: ContextKeys };
  return edit(ACTIONS[type], summary, parameters, (segment, { contextKind, values }) =>
    change(bounded(segment), type, contextKind, values),
  );
}

function users(type: TargetType, summary: string, change: ChangeTargets): Row {
  return edit(ACTIONS[type], summary, { values: ContextKeys }, (segment, { values }) =>
    change(bounded(segment), type, 'user', values),
  );
}

function bounded(segment: Segment): Segment {
  if (!segment.unbounded) return segment;
  throw problem('kind', 'is not for big segments');
}

function members(type: TargetType, does: MembershipStep['does'], summary: string): Row {
  const apply = (draft: SegmentDraft, { values }: { values: string[] }): SegmentDraft => ({
    ...unbounded(draft),
    steps: [...draft.steps, { does, type, values }],
  });
  return { action: ACTIONS[type], summary, parameters: { values: ContextKeys }, apply };
}

function unbounded(draft: SegmentDraft): SegmentDraft {
  if (draft.segment.unbounded) return draft;
  throw problem('kind', 'is only for big segments');
}
