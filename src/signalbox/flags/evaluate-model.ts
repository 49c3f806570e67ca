// Evaluations with their reasons, as replies show them.
import { ContextBody } from '../../flags/contexts/model.ts';
import { Instructions } from '../../flags/planned-changes/plan.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

export const MAX_CONTEXTS = 100;
/** With more contexts than this, fewer rules of each are shown. */
export const MAX_DETAILED = 10;

export const EvaluationPost = Type.Object(
  {
    environmentKey: Type.String(),
    context: Type.Optional(ContextBody),
    contexts: Type.Optional(
      Type.Array(ContextBody, {
        minItems: 1,
        maxItems: MAX_CONTEXTS,
        description: 'In place of `context`',
      }),
    ),
    instructions: Type.Optional(Instructions),
  },
  { $id: 'FlagEvaluationPost', additionalProperties: false },
);

const ShownBucket = Type.Object(
  {
    bucket: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 99_999,
        description: 'Absent where there is nothing to be hashed',
      }),
    ),
    contextKind: Type.String(),
    bucketBy: Type.String({ description: 'The attribute that is hashed' }),
    shares: Type.Array(
      Type.Object({
        variationIndex: Type.Optional(Type.Integer({ description: 'Absent for the rule of a segment' })),
        from: Type.Integer(),
        to: Type.Integer({ description: 'The first bucket that is no longer in it' }),
        isChosen: Type.Boolean(),
      }),
    ),
    sentence: Type.String(),
  },
  { $id: 'TracedBucket' },
);

const TracedSegment = Type.Object(
  {
    segment: Type.String({ description: 'Its key' }),
    isMatch: Type.Boolean(),
    sentence: Type.String(),
    rules: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'As the steps of a flag; empty where no rule was looked at, or it was looked at before',
    }),
  },
  { $id: 'TracedSegment' },
);

const TracedClause = Type.Object(
  {
    attribute: Type.String(),
    contextKind: Type.String(),
    operator: Type.String(),
    negate: Type.Boolean(),
    values: Type.Array(Type.Unknown(), { description: 'The first ones; long texts are shortened' }),
    valuesTotal: Type.Integer(),
    value: Type.Optional(Type.Unknown({ description: 'What the context has; absent where it has none' })),
    isMatch: Type.Optional(
      Type.Boolean({ description: 'Absent where an earlier clause has decided already' }),
    ),
    sentence: Type.Optional(Type.String()),
    segments: Type.Optional(Type.Array(TracedSegment)),
  },
  { $id: 'TracedClause' },
);

const STEP_KINDS = ['off', 'prerequisite', 'targets', 'rule', 'left-out', 'default'] as const;

const ShownStep = Type.Object(
  {
    kind: OneOf(STEP_KINDS),
    sentence: Type.String(),
    isMatch: Type.Optional(
      Type.Boolean({ description: 'Whether it decides the result; of a prerequisite, whether it is met' }),
    ),
    flagKey: Type.Optional(Type.String({ description: 'Of a prerequisite' })),
    wanted: Type.Optional(Type.Integer({ description: 'The variation that the prerequisite must serve' })),
    variationIndex: Type.Optional(
      Type.Integer({ description: 'The variation that the prerequisite serves' }),
    ),
    steps: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: 'The steps of the prerequisite',
      }),
    ),
    ruleId: Type.Optional(Type.String()),
    ruleNumber: Type.Optional(Type.Integer({ description: 'From 1, in the order of the flag' })),
    description: Type.Optional(Type.String({ description: 'Of the rule' })),
    clauses: Type.Optional(Type.Array(TracedClause)),
    rollout: Type.Optional(ShownBucket),
    count: Type.Optional(Type.Integer({ description: 'How many rules are left out, all of them missed' })),
  },
  { $id: 'EvaluationStep' },
);

const TracedEvaluation = Type.Object(
  {
    value: Type.Unknown({ description: 'Null where there is no variation to serve' }),
    variationIndex: Type.Optional(Type.Integer()),
    reason: Type.Record(Type.String(), Type.Unknown(), { description: 'As SDKs get it: `kind` and more' }),
    sentence: Type.String({ description: 'The result and the reason' }),
    trace: Type.Array(ShownStep, { description: 'Step by step, until one decided' }),
    wouldNeed: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What would have to be different for the first thing that was missed: the flag off, a prerequisite, or a rule',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'Why comparisons were given up, which then did not match' }),
    ),
  },
  { $id: 'TracedEvaluation' },
);

export const EvaluationReply = Type.Object(
  {
    version: Type.Integer({ description: 'Of the saved flag' }),
    items: Type.Array(
      Type.Object(
        {
          saved: TracedEvaluation,
          draft: Type.Optional(TracedEvaluation),
          isDifferent: Type.Optional(
            Type.Boolean({ description: 'Whether the draft serves something else' }),
          ),
        },
        { $id: 'EvaluatedContext' },
      ),
      { description: 'In the order of the contexts' },
    ),
  },
  { $id: 'FlagEvaluationReply' },
);

export type ShownEvaluation = Static<typeof TracedEvaluation>;
export type ShownEvaluationStep = Static<typeof ShownStep>;
export type ShownClause = Static<typeof TracedClause>;
export type ShownRollout = Static<typeof ShownBucket>;
