// Instructions about the clauses of rules.
import { Type, type Static, type TObject, type TSchema } from '../../../../kernel/schema/schema.ts';
import {
  ClauseId,
  ClauseInput,
  Clauses,
  ClauseValues,
  MAX_CLAUSES,
  RuleId,
  addClauses,
  addClauseValues,
  changeRule,
  removeClauses,
  removeClauseValues,
  updateClause,
} from '../../../clauses.ts';
import type { Rule } from '../../flag.ts';
import { inEnvironment, type FlagKindRow, type InstructionScope } from './kind.ts';

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
