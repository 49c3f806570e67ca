// Instructions about custom properties.
import { PlainText, problem, Type } from '../../../../kernel/schema/schema.ts';
import { Key } from '../../../fields.ts';
import type { CustomProperty, Flag } from '../../flag.ts';
import { onFlag } from './kind.ts';

const MAX_VALUES = 1000;

const PropertyName = PlainText({ minLength: 1, maxLength: 256 });
const PropertyValues = Type.Array(PlainText({ maxLength: 1000 }), { minItems: 1, maxItems: MAX_VALUES });

const action = 'updateFlagCustomProperties';

export const customPropertyKinds = {
  addCustomProperties: onFlag(
    {
      action,
      summary: 'Adds values to a custom property, which may be a new one',
      parameters: { key: Key(), name: PropertyName, values: PropertyValues },
    },
    (flag, { key, name, values }) => {
      const known = propertyOf(flag, key)?.value ?? [];
      return withProperty(flag, key, { name, value: [...known, ...values] });
    },
  ),
  replaceCustomProperties: onFlag(
    {
      action,
      summary: 'Gives a custom property these values and no others',
      parameters: { key: Key(), name: Type.Optional(PropertyName), values: PropertyValues },
    },
    (flag, { key, name = propertyOf(flag, key)?.name ?? key, values }) =>
      withProperty(flag, key, { name, value: values }),
  ),
  removeCustomProperties: onFlag(
    {
      action,
      summary: 'Removes values from a custom property, and the property with its last value',
      parameters: { key: Key(), values: PropertyValues },
    },
    (flag, { key, values }) => {
      const known = propertyOf(flag, key);
      if (known === undefined) return flag;
      return withProperty(flag, key, { ...known, value: known.value.filter((one) => !values.includes(one)) });
    },
  ),
};

/** Only own properties count: a key such as `constructor` must not find what objects inherit. */
function propertyOf({ customProperties }: Flag, key: string): CustomProperty | undefined {
  return Object.hasOwn(customProperties, key) ? customProperties[key] : undefined;
}

function withProperty(flag: Flag, key: string, property: CustomProperty): Flag {
  const value = [...new Set(property.value)];
  if (value.length > MAX_VALUES) throw problem('values', `can be at most ${MAX_VALUES} of one property`);
  const { [key]: _, ...others } = flag.customProperties;
  if (value.length === 0) return { ...flag, customProperties: others };
  return { ...flag, customProperties: { ...flag.customProperties, [key]: { ...property, value } } };
}
