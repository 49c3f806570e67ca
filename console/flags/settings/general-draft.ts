// The settings of a flag as they are being edited, and the instructions that make them so.
import { availabilityInstructions, describedInstructions } from '../save/detail-instructions.ts';
import type { Instruction } from '../save/instruction.ts';
import type { FlagDetail } from './flag-detail.ts';

export type MaintainerKind = 'none' | 'member' | 'team';

export interface GeneralDraft {
  name: string;
  description: string;
  tags: string[];
  isTemporary: boolean;
  usingEnvironmentId: boolean;
  usingMobileKey: boolean;
  maintainerKind: MaintainerKind;
  /** The id of the person; empty where nobody is chosen. */
  member: string;
  /** Of that person, or what was typed to find somebody. */
  memberEmail: string;
  /** Its key; empty where none is chosen. */
  team: string;
}

export function generalDraftOf(flag: FlagDetail): GeneralDraft {
  const { maintainerId, _maintainerTeam } = flag;
  return {
    name: flag.name,
    description: flag.description ?? '',
    tags: flag.tags,
    isTemporary: flag.temporary,
    ...flag.clientSideAvailability,
    maintainerKind: _maintainerTeam !== undefined ? 'team' : maintainerId === undefined ? 'none' : 'member',
    member: maintainerId ?? '',
    memberEmail: flag._maintainer?.email ?? '',
    team: _maintainerTeam?.key ?? '',
  };
}

export function generalInstructions(before: GeneralDraft, after: GeneralDraft): Instruction[] {
  return [
    ...describedInstructions(before, { ...after, name: after.name.trim() }),
    ...(before.isTemporary === after.isTemporary
      ? []
      : [{ kind: after.isTemporary ? 'makeFlagTemporary' : 'makeFlagPermanent' }]),
    ...availabilityInstructions(before, after),
    ...maintainerInstructions(before, after),
  ];
}

function maintainerInstructions(before: GeneralDraft, after: GeneralDraft): Instruction[] {
  const isSame = before.maintainerKind === after.maintainerKind;
  if (after.maintainerKind === 'none') return isSame ? [] : [{ kind: 'removeMaintainer' }];
  if (after.maintainerKind === 'team')
    return isSame && before.team === after.team ? [] : [{ kind: 'updateMaintainerTeam', value: after.team }];
  return isSame && before.member === after.member
    ? []
    : [{ kind: 'updateMaintainerMember', value: after.member }];
}
