// The representation of evaluated flags and of segment memberships of a context.
import type { JsonReplacer } from '../../kernel/http/public-path.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { PreparedOutcome } from '../evaluation/outcome.ts';
import type { SegmentMatch } from '../evaluation/segment.ts';
import { type Reason, type EvaluationResult, warningsOf } from '../evaluation/run.ts';
import { flagSite } from '../feature-flags/representation.ts';
import { Links, linkTo } from '../links.ts';

export const ContextBody = Type.Record(Type.String(), Type.Unknown(), {
  $id: 'ContextInstance',
  description:
    'A context: `kind`, `key` and any attributes; or, with the kind `multi`, a member for each kind with such an object',
});

const ReasonSchema = Type.Object(
  {
    kind: Type.String({
      description: '`OFF`, `FALLTHROUGH`, `TARGET_MATCH`, `RULE_MATCH`, `PREREQUISITE_FAILED` or `ERROR`',
    }),
    ruleIndex: Type.Optional(Type.Integer()),
    ruleID: Type.Optional(Type.String()),
    prerequisiteKey: Type.Optional(Type.String()),
    inExperiment: Type.Optional(Type.Boolean()),
    errorKind: Type.Optional(Type.String()),
  },
  { $id: 'ContextInstanceEvaluationReason' },
);

const Warnings = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Why comparisons were given up, which then did not match; absent where none was',
  }),
);

export const EvaluationSchema = Type.Object(
  {
    name: Type.String(),
    key: Type.String(),
    _value: Type.Unknown({ description: 'Null where there is no variation to serve' }),
    reason: ReasonSchema,
    _warnings: Warnings,
    _links: Links,
  },
  { $id: 'ContextInstanceEvaluation' },
);

/** The environment of the evaluation. */
interface Place {
  project: { key: string };
  environment: { key: string };
}

function toEvaluation(
  { key, name }: { key: string; name: string },
  { value, reason, limits = 0 }: EvaluationResult,
  { project, environment }: Place,
): Static<typeof EvaluationSchema> {
  return {
    name,
    key,
    _value: value,
    reason: toReason(reason),
    ...(limits !== 0 && { _warnings: warningsOf(limits) }),
    _links: {
      self: linkTo(`/flags/${project.key}/${key}`),
      site: flagSite(project.key, environment.key, key),
    },
  };
}

/** The same as JSON, which is written once for each outcome of the flag in its environment. `limits` are those that were exceeded. */
export function toEvaluationJson(
  flag: { key: string; name: string },
  outcome: PreparedOutcome,
  limits: number,
  place: Place,
  placing: JsonReplacer | undefined,
): string {
  const { result, shown } = outcome;
  if (limits !== 0) return JSON.stringify(toEvaluation(flag, { ...result, limits }, place), placing);
  if (shown?.name === flag.name) return shown.json;
  const json = JSON.stringify(toEvaluation(flag, result, place), placing);
  outcome.shown = { name: flag.name, json };
  return json;
}

/** The API spells the field `ruleID`, SDKs spell it `ruleId`. */
function toReason(given: Reason): Static<typeof ReasonSchema> {
  const { bigSegmentsStatus: _, ...reason } = given;
  if (reason.kind !== 'RULE_MATCH') return reason;
  const { ruleId: ruleID, ...rest } = reason;
  return { ...rest, ruleID };
}

export const MembershipSchema = Type.Object(
  {
    name: Type.String(),
    key: Type.String(),
    description: Type.String(),
    unbounded: Type.Boolean({ description: 'Whether it is a big segment' }),
    external: Type.String({ description: 'Where its list is kept, if not here; always empty' }),
    isMember: Type.Boolean(),
    isIndividuallyTargeted: Type.Boolean({ description: 'Whether it is in by its key' }),
    isRuleTargeted: Type.Boolean({ description: 'Whether it is in by a rule, and not by its key' }),
    _warnings: Warnings,
    _links: Links,
  },
  { $id: 'ContextInstanceSegmentMembership' },
);

export function toMembership(
  { key, name, description = '' }: { key: string; name: string; description?: string },
  { unbounded, match, limits }: { unbounded: boolean; match: SegmentMatch | undefined; limits: number },
  { project, environment }: Place,
): Static<typeof MembershipSchema> {
  return {
    name,
    key,
    description,
    unbounded,
    external: '',
    isMember: match !== undefined,
    isIndividuallyTargeted: match === 'key',
    isRuleTargeted: match === 'rule',
    ...(limits !== 0 && { _warnings: warningsOf(limits) }),
    _links: {
      self: linkTo(`/segments/${project.key}/${environment.key}/${key}`),
    },
  };
}
