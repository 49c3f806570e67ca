// Targeting names variations by their places: a draft from before a variation was removed is moved to the places of today.
import type { Serve, Targeting } from './targeting.ts';

/** `then` and `now` are the ids of the variations. Undefined where it serves a variation that is gone. */
export function moveVariations(
  targeting: Targeting,
  then: readonly string[],
  now: readonly string[],
): Targeting | undefined {
  if (then.every((id, index) => now[index] === id)) return targeting;
  let isLost = false;
  const move = (index: number): number => {
    const place = now.indexOf(then[index] ?? '');
    isLost ||= place < 0;
    return place;
  };
  const moveServe = <Served extends Serve>(serve: Served): Served => {
    const { variation, rollout } = serve;
    if (rollout === undefined)
      return variation === undefined ? serve : { ...serve, variation: move(variation) };
    const variations = rollout.variations
      .filter(({ variation: index, weight }) => weight !== 0 || now.includes(then[index] ?? ''))
      .map((share) => ({ ...share, variation: move(share.variation) }));
    return { ...serve, rollout: { ...rollout, variations } };
  };
  const moved = {
    ...targeting,
    targets: targeting.targets.map((list) => ({ ...list, variation: move(list.variation) })),
    rules: targeting.rules.map(moveServe),
    fallthrough: moveServe(targeting.fallthrough),
    ...(targeting.offVariation !== undefined && { offVariation: move(targeting.offVariation) }),
  };
  return isLost ? undefined : moved;
}
