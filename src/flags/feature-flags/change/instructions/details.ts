// Instructions about the details of a flag: name, description, tags, availability to SDKs, custom properties and maintainer.
import { OneOf, problem, Type, PlainText } from '../../../../kernel/schema/schema.ts';
import { Description, Name, Tags, normalizeTags, Key } from '../../../fields.ts';
import type { Flag, CustomProperty } from '../../flag.ts';
import { onFlag } from './kind.ts';
import { shorten } from '../../../../kernel/json/pointer.ts';

const Availability = { value: OneOf(['usingMobileKey', 'usingEnvironmentId']) };

export const detailKinds = {
  updateName: onFlag(
    { action: 'updateName', summary: 'Renames the flag', parameters: { value: Name } },
    (flag, { value }) => ({ ...flag, name: value }),
  ),
  updateDescription: onFlag(
    { action: 'updateDescription', summary: 'Describes the flag', parameters: { value: Description } },
    (flag, { value }) => ({ ...flag, description: value }),
  ),
  addTags: onFlag(
    { action: 'updateTags', summary: 'Adds tags', parameters: { values: Tags } },
    (flag, { values }) => ({ ...flag, tags: normalizeTags([...flag.tags, ...values]) }),
  ),
  removeTags: onFlag(
    { action: 'updateTags', summary: 'Removes tags', parameters: { values: Tags } },
    (flag, { values }) => ({ ...flag, tags: flag.tags.filter((tag) => !values.includes(tag)) }),
  ),
  makeFlagPermanent: onFlag(
    { action: 'updateTemporary', summary: 'Marks the flag as here to stay', parameters: {} },
    (flag) => ({ ...flag, temporary: false }),
  ),
  makeFlagTemporary: onFlag(
    { action: 'updateTemporary', summary: 'Marks the flag as one to be removed some day', parameters: {} },
    (flag) => ({ ...flag, temporary: true }),
  ),
  turnOnClientSideAvailability: onFlag(
    {
      action: 'updateClientSideFlagAvailability',
      summary: 'Shows the flag to mobile apps or to browsers',
      parameters: Availability,
    },
    (flag, { value }) => withAvailability(flag, { [value]: true }),
  ),
  turnOffClientSideAvailability: onFlag(
    {
      action: 'updateClientSideFlagAvailability',
      summary: 'Hides the flag from mobile apps or from browsers',
      parameters: Availability,
    },
    (flag, { value }) => withAvailability(flag, { [value]: false }),
  ),
};

function withAvailability(flag: Flag, changes: Partial<Flag['clientSideAvailability']>): Flag {
  return { ...flag, clientSideAvailability: { ...flag.clientSideAvailability, ...changes } };
}

const MAX_VALUES = 1000;

const PropertyName = PlainText({ minLength: 1, maxLength: 256 });
const PropertyValues = Type.Array(PlainText({ maxLength: 1000 }), { minItems: 1, maxItems: MAX_VALUES });

const CUSTOM_PROPERTIES = 'updateFlagCustomProperties';

export const customPropertyKinds = {
  addCustomProperties: onFlag(
    {
      action: CUSTOM_PROPERTIES,
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
      action: CUSTOM_PROPERTIES,
      summary: 'Gives a custom property these values and no others',
      parameters: { key: Key(), name: Type.Optional(PropertyName), values: PropertyValues },
    },
    (flag, { key, name = propertyOf(flag, key)?.name ?? key, values }) =>
      withProperty(flag, key, { name, value: values }),
  ),
  removeCustomProperties: onFlag(
    {
      action: CUSTOM_PROPERTIES,
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

const MAINTAINER = 'updateMaintainer';

export const maintainerKinds = {
  updateMaintainerMember: onFlag(
    {
      action: MAINTAINER,
      summary: 'Has a member look after the flag, who is named by ID',
      parameters: { value: Type.String() },
    },
    (flag, { value }, { references }) => {
      if (!references.memberIds.has(value)) throw problem('value', `names no member: ${shorten(value)}`);
      return { ...withoutMaintainer(flag), maintainerId: value };
    },
  ),
  updateMaintainerTeam: onFlag(
    {
      action: MAINTAINER,
      summary: 'Has a team look after the flag, which is named by key',
      parameters: { value: Type.String() },
    },
    (flag, { value }, { references }) => {
      if (!references.teamKeys.has(value)) throw problem('value', `names no team: ${shorten(value)}`);
      return { ...withoutMaintainer(flag), maintainerTeamKey: value };
    },
  ),
  removeMaintainer: onFlag(
    { action: MAINTAINER, summary: 'Has nobody look after the flag', parameters: {} },
    withoutMaintainer,
  ),
};

function withoutMaintainer(flag: Flag): Flag {
  const { maintainerId: _, maintainerTeamKey: __, ...rest } = flag;
  return rest;
}
