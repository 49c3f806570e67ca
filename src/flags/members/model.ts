// The representation of members, and the rules for changing them.
import type { Access } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { RoleAttributes } from '../../kernel/identity/role-policies.ts';
import { isEmail } from '../../kernel/text/email.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { MemberGrant, Team } from '../../kernel/identity/store-member-teams.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { Key } from '../fields.ts';
import { Link, Links, linkTo, siteTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { BaseRoleSchema, RoleAttributesSchema, RoleNames } from '../roles/model.ts';

/** A member with the fields that only administration needs. */
export interface MemberRecord extends Member {
  roleAttributes: RoleAttributes;
  lastSeenAt: number | undefined;
  lastSeenToken: string | undefined;
  version: number;
}

const SUMMARY = {
  _id: Type.String(),
  _links: Links,
  role: BaseRoleSchema,
  email: Type.String(),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
};

export const MemberSummary = Type.Object(SUMMARY, { $id: 'MemberSummary' });

const TeamOfMember = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    customRoleKeys: Type.Array(Type.String()),
    _links: Links,
  },
  { $id: 'MemberTeamSummaryRep' },
);

const GrantOfMember = Type.Object(
  {
    resource: Type.String(),
    actionSet: Type.Optional(Type.String()),
    actions: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'MemberPermissionGrantSummaryRep' },
);

export const MemberRep = Type.Object(
  {
    ...SUMMARY,
    customRoles: Type.Array(Type.String(), { description: 'Keys of custom roles' }),
    mfa: Type.String(),
    creationDate: Type.Integer(),
    version: Type.Integer(),
    _site: Link,
    _pendingInvite: Type.Boolean({ description: 'Whether they were never seen yet' }),
    _verified: Type.Boolean(),
    _lastSeen: Type.Integer({ description: 'In epoch milliseconds; 0 for never' }),
    _lastSeenMetadata: Type.Optional(Type.Object({ tokenId: Type.Optional(Type.String()) })),
    teams: Type.Optional(Type.Array(TeamOfMember)),
    permissionGrants: Type.Optional(Type.Array(GrantOfMember)),
    roleAttributes: Type.Optional(RoleAttributesSchema),
  },
  { $id: 'Member' },
);

export const MemberEmail = PlainText({ minLength: 3, maxLength: 256 });
export const MemberPassword = PlainText({ minLength: 8, maxLength: 1024 });
export const PersonName = PlainText({ maxLength: 256 });

const Person = {
  email: MemberEmail,
  password: Type.Optional(MemberPassword),
  firstName: Type.Optional(PersonName),
  lastName: Type.Optional(PersonName),
};

export const MemberPost = Type.Object(
  {
    ...Person,
    role: Type.Optional(
      OneOf(['reader', 'writer', 'admin', 'no_access'], {
        description: '`reader` unless custom roles are given; these then say all there is',
      }),
    ),
    customRoles: Type.Optional(RoleNames),
    teamKeys: Type.Optional(Type.Array(Key(), { maxItems: 100 })),
    roleAttributes: Type.Optional(RoleAttributesSchema),
  },
  { $id: 'NewMemberForm' },
);
export type MemberPost = Static<typeof MemberPost>;

export function memberResource({ id }: { id: string }): string {
  return `member/${id}`;
}

/** The fields of a member that other resources embed. */
export interface MemberBasics extends Pick<Member, 'id' | 'role' | 'email'> {
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
}

export function toMemberSummary(member: MemberBasics): Static<typeof MemberSummary> {
  const { id, role, email, firstName, lastName } = member;
  return {
    _id: id,
    _links: { self: linkTo(`/members/${id}`) },
    role,
    email,
    ...(typeof firstName === 'string' && { firstName }),
    ...(typeof lastName === 'string' && { lastName }),
  };
}

/** Optional parts of the representation. */
export interface MemberExpansions {
  teams?: { team: Team; roleKeys: string[] }[];
  grants?: MemberGrant[];
  withAttributes?: boolean;
}

export function toMember(member: MemberRecord, { teams, grants, withAttributes }: MemberExpansions = {}) {
  const isPending = member.lastSeenAt === undefined;
  return {
    ...toMemberSummary(member),
    _links: { self: linkTo(`/members/${member.id}`), parent: linkTo('/members') },
    _site: siteTo(`/console/account/members?member=${member.id}`),
    customRoles: member.customRoles,
    mfa: 'disabled',
    creationDate: member.createdAt,
    version: member.version,
    _pendingInvite: isPending,
    _verified: !isPending,
    _lastSeen: member.lastSeenAt ?? 0,
    ...(member.lastSeenToken !== undefined && { _lastSeenMetadata: { tokenId: member.lastSeenToken } }),
    ...(teams && { teams: teams.map(({ team, roleKeys }) => toTeamOfMember(team, roleKeys)) }),
    ...(grants && {
      permissionGrants: grants.map(({ teamKey, actions }) => ({
        resource: `team/${teamKey}`,
        ...(typeof actions === 'string' ? { actionSet: actions } : { actions: [...actions] }),
      })),
    }),
    ...(withAttributes && { roleAttributes: copyAttributes(member) }),
  };
}

function copyAttributes({ roleAttributes }: MemberRecord): Record<string, string[]> {
  return Object.fromEntries(Object.entries(roleAttributes).map(([key, values]) => [key, [...values]]));
}

function toTeamOfMember(team: Team, customRoleKeys: string[]) {
  const _links = { self: linkTo(`/teams/${team.key}`) };
  return { key: team.key, name: team.name, customRoleKeys, _links };
}

const edit = editor({
  editable: Type.Object({
    role: BaseRoleSchema,
    customRoles: Type.Optional(RoleNames),
    roleAttributes: Type.Optional(RoleAttributesSchema),
  }),
  optional: (pointer) => /^\/roleAttributes\/[^/]+$/.test(pointer),
});

/** The custom roles are as the patch names them, by key or id; the store needs keys. */
export function patchMember(member: MemberRecord, patch: DocumentPatch): MemberRecord {
  const wanted = edit(toMember(member, { withAttributes: true }), patch);
  return {
    ...member,
    role: wanted.role,
    customRoles: wanted.customRoles ?? [],
    roleAttributes: wanted.roleAttributes ?? {},
  };
}

export const MEMBER_ACTIONS = ['updateRole', 'updateCustomRole'];

/** The permissions that the change requires, by changed field. */
export function memberAccesses(before: MemberRecord, after: MemberRecord): Access[] {
  const resource = memberResource(before);
  return [
    ...(before.role === after.role ? [] : [{ action: 'updateRole', resource }]),
    ...(areEqual(before.customRoles, after.customRoles) &&
    areEqual(before.roleAttributes, after.roleAttributes)
      ? []
      : [{ action: 'updateCustomRole', resource }]),
  ];
}

/** One invalid address fails the whole call; `invalid_emails` lists all of them. */
export function emailFailure(code: string, words: string, emails: string[]): Failure {
  return new Failure('invalid', `${words}: ${emails.join(', ')}`, { code, data: { invalid_emails: emails } });
}

export function checkEmails(posts: readonly MemberPost[]): void {
  const wrong = posts.filter(({ email }) => !isEmail(email)).map(({ email }) => email);
  if (wrong.length > 0) throw emailFailure('invalid_request', 'These are no e-mail addresses', wrong);
  const counts = Map.groupBy(posts, ({ email }) => email.toLowerCase());
  const twice = [...counts].filter(([, same]) => same.length > 1).map(([email]) => email);
  if (twice.length > 0)
    throw emailFailure('duplicate_emails', 'These addresses stand there more than once', twice);
}

/** Letters and digits of the address before the @, joined by single hyphens. */
export function usernameFrom(email: string): string {
  const [local = ''] = email.split('@');
  const name = local
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 39)
    .replace(/-$/, '');
  // `me` names the caller in paths.
  return name === '' || name === 'me' ? 'member' : name;
}
