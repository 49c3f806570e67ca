// Reads what an instruction serves: one variation, or a rollout of several.
import { shorten } from '../../../../kernel/json/pointer.ts';
import type { Static, TObject } from '../../../../kernel/schema/schema.ts';
import { misfit, problem } from '../../../../kernel/schema/schema.ts';
import { USER } from '../../../evaluation/context.ts';
import type { Flag, Serve } from '../../flag.ts';
import { WHOLE } from '../../model.ts';
import type { ServeInput } from './parameters.ts';

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
