// Instructions about variations.
import { areEqual } from '../../../../kernel/json/json-value.ts';
import { misfit, PlainText, problem, Type } from '../../../../kernel/schema/schema.ts';
import { Description } from '../../../fields.ts';
import type { Flag, Json, Variation, FlagConfig, Serve } from '../../flag.ts';
import { onFlag, withText, VariationId, VariationValue as Value, findVariation } from './kind.ts';
import { mergeTargets, splitTargets } from './targets.ts';

const Words = {
  name: Type.Optional(PlainText({ maxLength: 256 })),
  description: Type.Optional(Description),
};

const action = 'updateFlagVariations';

export const variationKinds = {
  addVariation: onFlag(
    { action, summary: 'Adds a variation with a value of its own', parameters: { value: Value, ...Words } },
    (flag, { value, ...words }, { newUuid }) => {
      forbidSame(flag.variations, value);
      return { ...flag, variations: [...flag.variations, withWords({ _id: newUuid(), value }, words)] };
    },
  ),
  removeVariation: onFlag(
    { action, summary: 'Removes a variation that is not in use', parameters: { variationId: VariationId } },
    (flag, { variationId }) => removeVariation(flag, findVariation(flag, variationId)),
  ),
  updateVariation: onFlag(
    {
      action,
      summary: 'Changes the value, name or description of a variation',
      parameters: { variationId: VariationId, value: Type.Optional(Value), ...Words },
    },
    (flag, { variationId, ...changes }) => {
      const index = findVariation(flag, variationId);
      const before = flag.variations[index]!;
      const { value = before.value, ...words } = changes;
      forbidSame(flag.variations.toSpliced(index, 1), value);
      return { ...flag, variations: flag.variations.with(index, withWords({ ...before, value }, words)) };
    },
  ),
  updateDefaultVariation: onFlag(
    {
      action: 'updateFlagDefaultVariations',
      summary: 'Sets, by their values, what new environments serve while the flag is on and off',
      parameters: {
        onVariationValue: Type.Optional(Value),
        offVariationValue: Type.Optional(Value),
        // Clients send both spellings.
        OnVariationValue: Type.Optional(Value),
        OffVariationValue: Type.Optional(Value),
      },
    },
    (flag, { onVariationValue, offVariationValue, OnVariationValue, OffVariationValue }) => {
      const on = onVariationValue === undefined ? OnVariationValue : onVariationValue;
      const off = offVariationValue === undefined ? OffVariationValue : offVariationValue;
      if (on === undefined && off === undefined)
        throw misfit('onVariationValue', 'or offVariationValue is required');
      const { onVariation, offVariation } = flag.defaults;
      return {
        ...flag,
        defaults: {
          onVariation: on === undefined ? onVariation : findValue(flag, on, 'onVariationValue'),
          offVariation: off === undefined ? offVariation : findValue(flag, off, 'offVariationValue'),
        },
      };
    },
  ),
};

function withWords(variation: Variation, words: { name?: string; description?: string }): Variation {
  const { name = variation.name, description = variation.description } = words;
  return withText(withText(variation, 'name', name), 'description', description);
}

function forbidSame(others: readonly Variation[], value: Json): void {
  if (others.some((other) => areEqual(other.value, value)))
    throw problem('value', 'must differ from that of every other variation');
}

function findValue({ variations }: Flag, value: Json, parameter: string): number {
  const index = variations.findIndex((variation) => areEqual(variation.value, value));
  if (index < 0) throw problem(parameter, 'is the value of no variation');
  return index;
}

/** Configurations refer to variations by index, so the indexes behind it are lowered. */
function removeVariation(flag: Flag, gone: number): Flag {
  const { onVariation, offVariation } = flag.defaults;
  if (onVariation === gone || offVariation === gone)
    throw problem('variationId', 'names a variation that new environments would serve');
  for (const [key, config] of Object.entries(flag.environments)) {
    if (isServed(config, gone)) throw problem('variationId', `names a variation in use in "${key}"`);
  }
  const environments = Object.entries(flag.environments).map(([key, config]) => [key, moveUp(config, gone)]);
  return {
    ...flag,
    variations: flag.variations.toSpliced(gone, 1),
    defaults: { onVariation: move(onVariation, gone), offVariation: move(offVariation, gone) },
    environments: Object.fromEntries(environments) as Flag['environments'],
  };
}

function move(index: number, gone: number): number {
  return index > gone ? index - 1 : index;
}

/** A share of zero serves nobody. */
function isServed(config: FlagConfig, index: number): boolean {
  const isServedBy = ({ variation, rollout }: Serve) =>
    variation === index ||
    rollout?.variations.some((share) => share.variation === index && share.weight > 0) === true;
  return (
    config.offVariation === index ||
    [config.fallthrough, ...config.rules].some(isServedBy) ||
    mergeTargets(config).some(({ variation }) => variation === index)
  );
}

function moveUp(config: FlagConfig, gone: number): FlagConfig {
  const targets = mergeTargets(config).map((target) => ({
    ...target,
    variation: move(target.variation, gone),
  }));
  return {
    ...config,
    ...splitTargets(targets),
    rules: config.rules.map((rule) => moveServed(rule, gone)),
    fallthrough: moveServed(config.fallthrough, gone),
    ...(config.offVariation !== undefined && { offVariation: move(config.offVariation, gone) }),
  };
}

function moveServed<Served extends Serve>(serve: Served, gone: number): Served {
  const { variation, rollout } = serve;
  if (rollout === undefined) return { ...serve, variation: move(variation!, gone) };
  const variations = rollout.variations
    .filter((share) => share.variation !== gone)
    .map((share) => ({ ...share, variation: move(share.variation, gone) }));
  return { ...serve, rollout: { ...rollout, variations } };
}
