// Instructions about rules, and about the clauses of rules.
import { shorten } from '../../../../kernel/json/pointer.ts';
import {
  PlainText,
  problem,
  Type,
  type Static,
  type TObject,
  type TSchema,
} from '../../../../kernel/schema/schema.ts';
import {
  Clauses,
  RuleDescription,
  RuleId,
  changeRule,
  identifyRules,
  toClause,
  reorderRules,
  ClauseId,
  ClauseInput,
  ClauseValues,
  MAX_CLAUSES,
  addClauses,
  addClauseValues,
  removeClauses,
  removeClauseValues,
  updateClause,
} from '../../../clauses.ts';
import type { Clause, Flag, Rule } from '../../flag.ts';
import { MAX_FLAG_RULES } from '../../model.ts';
import {
  inEnvironment,
  withText,
  type FlagKindRow,
  type InstructionScope,
  ServeInput,
  readServe,
} from './kind.ts';

const RuleFields = {
  clauses: Clauses,
  ...ServeInput,
  description: Type.Optional(RuleDescription),
  ref: Type.Optional(PlainText({ maxLength: 256 })),
  trackEvents: Type.Optional(Type.Boolean()),
};
const RuleInput = Type.Object(RuleFields, { $id: 'RuleInput', additionalProperties: false });

const action = 'updateRules';

export const ruleKinds = {
  addRule: inEnvironment(
    {
      action,
      summary: 'Adds a rule, before another one or after all; it serves `variationId` or a rollout',
      parameters: { ...RuleFields, beforeRuleId: Type.Optional(RuleId) },
    },
    (config, { beforeRuleId, ...input }, { flag, newUuid }) => {
      const { rules } = config;
      const index =
        beforeRuleId === undefined ? rules.length : rules.findIndex(({ _id }) => _id === beforeRuleId);
      if (index < 0) throw problem('beforeRuleId', `names no rule: ${shorten(beforeRuleId!)}`);
      const rule = makeRule(
        flag,
        input,
        newUuid(),
        input.clauses.map((clause) => toClause(clause, newUuid())),
      );
      return { ...config, rules: rules.toSpliced(index, 0, rule) };
    },
  ),
  removeRule: inEnvironment(
    { action, summary: 'Removes a rule, if it is there', parameters: { ruleId: RuleId } },
    (config, { ruleId }) => ({ ...config, rules: config.rules.filter(({ _id }) => _id !== ruleId) }),
  ),
  reorderRules: inEnvironment(
    {
      action,
      summary: 'Puts the rules into this order; every rule has to be listed',
      parameters: { ruleIds: Type.Array(RuleId, { maxItems: MAX_FLAG_RULES }) },
    },
    (config, { ruleIds }) => ({ ...config, rules: reorderRules(config.rules, ruleIds) }),
  ),
  replaceRules: inEnvironment(
    {
      action,
      summary: 'Gives the flag these rules and no others',
      parameters: { rules: Type.Array(RuleInput, { maxItems: MAX_FLAG_RULES }) },
    },
    (config, { rules }, { flag, newUuid }) => ({
      ...config,
      rules: identifyRules(
        rules,
        config.rules,
        (input, id, clauses) => makeRule(flag, input, id, clauses),
        newUuid,
      ),
    }),
  ),
  updateRuleVariationOrRollout: inEnvironment(
    {
      action,
      summary: 'Sets what a rule serves: `variationId` or a rollout',
      parameters: { ruleId: RuleId, ...ServeInput },
    },
    (config, { ruleId, ...serve }, { flag }) => ({
      ...config,
      rules: changeRule(config.rules, ruleId, (rule) => {
        const { variation: _, rollout: __, ...rest } = rule;
        return { ...rest, ...readServe(flag, serve) };
      }),
    }),
  ),
  updateRuleDescription: inEnvironment(
    {
      action: 'updateFlagRuleDescription',
      summary: 'Describes a rule',
      parameters: { ruleId: RuleId, description: RuleDescription },
    },
    (config, { ruleId, description }) => ({
      ...config,
      rules: changeRule(config.rules, ruleId, (rule) => withText(rule, 'description', description)),
    }),
  ),
  updateRuleTrackEvents: inEnvironment(
    {
      action: 'updateTrackEvents',
      summary: 'Sets whether full events are kept for evaluations that a rule decides',
      parameters: { ruleId: RuleId, trackEvents: Type.Boolean() },
    },
    (config, { ruleId, trackEvents }) => ({
      ...config,
      rules: changeRule(config.rules, ruleId, (rule) => ({ ...rule, trackEvents })),
    }),
  ),
};

function makeRule(flag: Flag, input: Static<typeof RuleInput>, id: string, clauses: Clause[]): Rule {
  const { clauses: _, description, ref, trackEvents = false, ...serve } = input;
  const rule = { _id: id, ...readServe(flag, serve), clauses, trackEvents };
  return withText(withText(rule, 'description', description), 'ref', ref);
}

export const clauseKinds = {
  addClauses: inRule('Adds clauses to a rule', { clauses: Clauses }, (rule, { clauses }, { newUuid }) =>
    addClauses(rule, clauses, newUuid),
  ),
  removeClauses: inRule(
    'Removes clauses from a rule; one has to stay',
    { clauseIds: Type.Array(ClauseId, { minItems: 1, maxItems: MAX_CLAUSES }) },
    (rule, { clauseIds }) => removeClauses(rule, clauseIds),
  ),
  updateClause: inRule(
    'Replaces a clause',
    { clauseId: ClauseId, clause: ClauseInput },
    (rule, { clauseId, clause }) => updateClause(rule, clauseId, clause),
  ),
  addValuesToClause: inRule(
    'Adds values to a clause',
    { clauseId: ClauseId, values: ClauseValues },
    (rule, { clauseId, values }) => addClauseValues(rule, clauseId, values),
  ),
  removeValuesFromClause: inRule(
    'Removes values from a clause',
    { clauseId: ClauseId, values: ClauseValues },
    (rule, { clauseId, values }) => removeClauseValues(rule, clauseId, values),
  ),
};

function inRule<P extends Record<string, TSchema>>(
  summary: string,
  parameters: P,
  change: (rule: Rule, values: Static<TObject<P>>, scope: InstructionScope) => Rule,
): FlagKindRow {
  return inEnvironment(
    { action: 'updateRules', summary, parameters: { ruleId: RuleId, ...parameters } },
    (config, values, scope) => ({
      ...config,
      rules: changeRule(config.rules, (values as { ruleId: string }).ruleId, (rule) =>
        change(rule, values as Static<TObject<P>>, scope),
      ),
    }),
  );
}
