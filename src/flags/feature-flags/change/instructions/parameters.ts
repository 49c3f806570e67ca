// Parameters that several kinds of instructions for flags share.
import { PlainText, Type } from '../../../../kernel/schema/schema.ts';
import { ContextKey, ContextKind } from '../../../fields.ts';
import type { Json } from '../../flag.ts';
import { MAX_FLAG_TARGETS, WHOLE } from '../../model.ts';

export const VariationId = Type.String({ minLength: 1, maxLength: 64 });

export const Keys = Type.Array(ContextKey, { maxItems: MAX_FLAG_TARGETS });

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
