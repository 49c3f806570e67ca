// Instructions about the maintainer of a flag: a member, a team, or none.
import { shorten } from '../../../../kernel/json/pointer.ts';
import { problem, Type } from '../../../../kernel/schema/schema.ts';
import type { Flag } from '../../flag.ts';
import { onFlag } from './kind.ts';

const action = 'updateMaintainer';

export const maintainerKinds = {
  updateMaintainerMember: onFlag(
    {
      action,
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
      action,
      summary: 'Has a team look after the flag, which is named by key',
      parameters: { value: Type.String() },
    },
    (flag, { value }, { references }) => {
      if (!references.teamKeys.has(value)) throw problem('value', `names no team: ${shorten(value)}`);
      return { ...withoutMaintainer(flag), maintainerTeamKey: value };
    },
  ),
  removeMaintainer: onFlag(
    { action, summary: 'Has nobody look after the flag', parameters: {} },
    withoutMaintainer,
  ),
};

function withoutMaintainer(flag: Flag): Flag {
  const { maintainerId: _, maintainerTeamKey: __, ...rest } = flag;
  return rest;
}
