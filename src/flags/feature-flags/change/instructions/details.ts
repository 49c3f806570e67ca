// Instructions about name, description, tags, and availability to SDKs.
import { OneOf } from '../../../../kernel/schema/schema.ts';
import { Description, Name, Tags, normalizeTags } from '../../../fields.ts';
import type { Flag } from '../../flag.ts';
import { onFlag } from './kind.ts';

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
