// Parameters that several kinds of instructions for flags share, and reading what an instruction serves: one variation, or a rollout of several.
import {
  PlainText,
  Type,
  type Static,
  type TObject,
  misfit,
  problem,
} from '../../../../kernel/schema/schema.ts';
import { ContextKey, ContextKind } from '../../../fields.ts';
import type { Json, Flag, Serve } from '../../flag.ts';
import { MAX_FLAG_TARGETS, WHOLE } from '../../model.ts';
import { shorten } from '../../../../kernel/json/pointer.ts';
import { USER } from '../../../evaluation/context.ts';

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

export function readServe(flag: Flag, input: Static<TObject<typeof ServeInput>>): Serve {
  const { variationId, rolloutWeights, rolloutBucketBy, rolloutContextKind } = input;
  if (rolloutWeights === undefined) {
    if (variationId === undefined) throw misfit('variationId', 'or rolloutWeights is required');
    if (rolloutBucketBy !== undefined) throw misfit('rolloutBucketBy', 'needs rolloutWeights');
    if (rolloutContextKind !== undefined) throw misfit('rolloutContextKind', 'needs rolloutWeights');
    return { variation: findVariation(flag, variationId) };
  }
  if (variationId !== undefined) throw problem('variationId', 'cannot be given together with rolloutWeights');
  const variations = Object.entries(rolloutWeights)
    .map(([id, weight]) => ({ variation: findVariation(flag, id, 'rolloutWeights'), weight }))
    // Buckets are assigned in this order, which must not depend on the order of members in the JSON of the request.
    .toSorted((a, b) => a.variation - b.variation);
  const sum = variations.reduce((total, { weight }) => total + weight, 0);
  if (sum !== WHOLE) throw problem('rolloutWeights', `must make ${WHOLE} together, not ${sum}`);
  return {
    rollout: {
      variations,
      ...(rolloutBucketBy !== undefined && { bucketBy: rolloutBucketBy }),
      contextKind: rolloutContextKind ?? USER,
    },
  };
}

/** The index of the variation. */
export function findVariation({ variations }: Flag, id: string, parameter = 'variationId'): number {
  const index = variations.findIndex(({ _id }) => _id === id);
  if (index < 0) throw problem(parameter, `names no variation: ${shorten(id)}`);
  return index;
}
