// Instructions about variations.
import { areEqual } from '../../../../kernel/json/json-value.ts';
import { misfit, PlainText, problem, Type } from '../../../../kernel/schema/schema.ts';
import { Description } from '../../../fields.ts';
import type { Flag, Json, Variation } from '../../flag.ts';
import { onFlag, withText } from './kind.ts';
import { VariationId, VariationValue as Value } from './parameters.ts';
import { removeVariation } from './remove-variation.ts';
import { findVariation } from './serve.ts';

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
