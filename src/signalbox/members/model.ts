// Members of the account as the Signalbox API shows them.
import { BaseRoleSchema } from '../../flags/roles/model.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

const Time = (description?: string) =>
  Type.Integer({ description: description === undefined ? 'In epoch milliseconds' : description });

const Named = Type.Object({ key: Type.String(), name: Type.String() });

export const MEMBER_STATES = ['active', 'invited'] as const;

export const AccountMember = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    email: Type.String(),
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
    role: BaseRoleSchema,
    customRoles: Type.Array(Named, {
      description:
        'Their own ones, without those of their teams; the name is the key where the caller may not see the role',
    }),
    teams: Type.Array(Named),
    state: OneOf(MEMBER_STATES, { description: '`invited` as long as they were never seen' }),
    hasPassword: Type.Boolean(),
    hasSecondFactor: Type.Boolean({
      description: 'Whether their login needs a code of an authenticator app',
    }),
    lastSeenAt: Type.Optional(Time()),
    createdAt: Time(),
    invitation: Type.Optional(
      Type.Object(
        { expiresAt: Time(), isExpired: Type.Boolean() },
        { description: 'A link that nobody has used; an expired one is shown for a month' },
      ),
    ),
  },
  { $id: 'AccountMember' },
);

/** A member with what administration needs beside it. */
export interface ListedMember extends Member {
  hasPassword: boolean;
  lastSeenAt: number | undefined;
}

export interface MemberSurroundings {
  /** By key. */
  roleNames: ReadonlyMap<string, string>;
  teams: readonly { key: string; name: string }[];
  invitationUntil: number | undefined;
  hasSecondFactor: boolean;
  now: number;
}

export function memberStateOf({
  lastSeenAt,
}: Pick<ListedMember, 'lastSeenAt'>): (typeof MEMBER_STATES)[number] {
  return lastSeenAt === undefined ? 'invited' : 'active';
}

export function toAccountMember(
  member: ListedMember,
  { roleNames, teams, invitationUntil, hasSecondFactor, now }: MemberSurroundings,
): Static<typeof AccountMember> {
  const { id, username, email, firstName, lastName, role, customRoles, hasPassword, lastSeenAt, createdAt } =
    member;
  return {
    id,
    username,
    email,
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    role,
    customRoles: customRoles.map((key) => ({ key, name: roleNames.get(key) ?? key })),
    teams: teams.map(({ key, name }) => ({ key, name })),
    state: memberStateOf(member),
    hasPassword,
    hasSecondFactor,
    ...(lastSeenAt !== undefined && { lastSeenAt }),
    createdAt,
    ...(invitationUntil !== undefined && {
      invitation: { expiresAt: invitationUntil, isExpired: invitationUntil <= now },
    }),
  };
}

/** Whether a part of a name or the address is this text, in whatever case. */
export function matchesText({ username, email, firstName, lastName }: Member, text: string): boolean {
  const sought = text.toLowerCase();
  return [username, email, `${firstName ?? ''} ${lastName ?? ''}`.trim()].some((name) =>
    name.toLowerCase().includes(sought),
  );
}

export const Abilities = Type.Object(
  {
    sentences: Type.Array(
      Type.Object({
        text: Type.String({ description: 'Goes on after the name of the member: `may …`' }),
        because: Type.Object(
          {
            role: Type.Optional(Type.String({ description: 'The base role' })),
            policy: Type.Optional(Type.String({ description: 'The key of the custom role' })),
            team: Type.Optional(Type.String({ description: 'The key of the team that gives it' })),
          },
          { description: 'Where it comes from' },
        ),
      }),
    ),
    isComplete: Type.Boolean({ description: 'False where there are more than can be shown' }),
  },
  { $id: 'Abilities' },
);
