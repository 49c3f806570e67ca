// The parameters that instructions of several kinds have in common.
import { OneOf, PlainText, Type } from '../../../kernel/schema.ts';
import type { Json } from '../flag.ts';
import { MOST_CLAUSES, MOST_TARGETS, WHOLE } from '../model.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });

export const VariationId = Id;
export const RuleId = Id;
export const ClauseId = Id;

/** `kind` and `multi` mean something else wherever contexts are written down. */
export const ContextKind = Type.String({ pattern: '^(?!(kind|multi)$)[a-zA-Z0-9._-]+$', maxLength: 256 });

/** Short enough for every engine to index. */
export const ContextKey = PlainText({ minLength: 1, maxLength: 512 });

export const Keys = Type.Array(ContextKey, { maxItems: MOST_TARGETS });

const OPERATORS = [
  'in',
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
  'before',
  'after',
  'semVerEqual',
  'semVerLessThan',
  'semVerGreaterThan',
  'segmentMatch',
] as const;

export const ClauseValues = Type.Array(
  Type.Union([Type.String({ maxLength: 4096 }), Type.Number(), Type.Boolean()]),
  { maxItems: 15_000 },
);

/** Without room for what is misspelled, which would else be taken for left out. */
export const ClauseInput = Type.Object(
  {
    attribute: PlainText({ maxLength: 1000, description: 'May be empty for `segmentMatch`' }),
    op: OneOf(OPERATORS),
    values: ClauseValues,
    contextKind: Type.Optional(ContextKind),
    negate: Type.Optional(Type.Boolean()),
  },
  { $id: 'ClauseInput', additionalProperties: false },
);

/** A rule without any clause would match everyone. */
export const Clauses = Type.Array(ClauseInput, { minItems: 1, maxItems: MOST_CLAUSES });

export const RuleDescription = PlainText({ maxLength: 1000 });

/** Any JSON. */
export const VariationValue = Type.Unsafe<Json>({});

/** Either one variation or a rollout. */
export const ServeInput = {
  variationId: Type.Optional(VariationId),
  rolloutWeights: Type.Optional(
    Type.Unsafe<Record<string, number>>(
      Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: WHOLE }), {
        description: `Thousandths of a percent by the ID of the variation; ${WHOLE} together`,
      }),
    ),
  ),
  rolloutBucketBy: Type.Optional(PlainText({ minLength: 1, maxLength: 1000 })),
  rolloutContextKind: Type.Optional(ContextKind),
};
