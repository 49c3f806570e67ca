// The representation of teams.
import type { Access } from '../../kernel/identity/actor.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { Role } from '../../kernel/identity/store-roles.ts';
import type { Team, TeamGrant } from '../../kernel/identity/store-member-teams.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { Description, Key, Name } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { MemberSummary, toMemberSummary } from '../members/model.ts';
import { RoleAttributesSchema, RoleNames } from '../roles/model.ts';

/** A team with its members, roles and grants. */
export interface WholeTeam extends Team {
  memberIds: string[];
  roleIds: string[];
  grants: TeamGrant[];
}

/** A text that is equal for equal grants only. */
export function grantText({ memberId, actions }: TeamGrant): string {
  return memberId + JSON.stringify(actions);
}

export const TEAM_EXPANDS = ['members', 'roles', 'roleAttributes', 'projects', 'maintainers'] as const;
export type Expand = (typeof TEAM_EXPANDS)[number];

export const TEAM_ACTIONS = [
  'deleteTeam',
  'updateTeamCustomRoles',
  'updateTeamDescription',
  'updateTeamMembers',
  'updateTeamName',
  'updateTeamPermissionGrants',
  'viewTeam',
] as const;

const MemberIds = Type.Array(Type.String({ pattern: '^[0-9a-f]{24}$' }), {
  maxItems: 10_000,
  description: 'Ids of members',
});

/** For instructions: a value that is no id is reported as an unknown member. */
export const NamedMembers = Type.Array(PlainText({ minLength: 1, maxLength: 64 }), {
  maxItems: 10_000,
  description: 'Ids of members',
});

/** Either a set of actions or a list of them. */
export const GRANT = {
  actionSet: Type.Optional(OneOf(['maintainTeam'])),
  actions: Type.Optional(Type.Array(OneOf(TEAM_ACTIONS), { maxItems: 100 })),
  memberIDs: MemberIds,
};

export const TeamPost = Type.Object(
  {
    key: Key('Cannot be changed later'),
    name: Name,
    description: Type.Optional(Description),
    memberIDs: Type.Optional(MemberIds),
    customRoleKeys: Type.Optional(RoleNames),
    permissionGrants: Type.Optional(Type.Array(Type.Object(GRANT), { maxItems: 100 })),
    roleAttributes: Type.Optional(RoleAttributesSchema),
  },
  { $id: 'TeamPostInput' },
);

export const TeamRole = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    appliedOn: Type.Integer(),
    _links: Links,
  },
  { $id: 'TeamCustomRole' },
);

const Counted = <Item extends Parameters<typeof Type.Array>[0]>(item: Item) =>
  Type.Object({ totalCount: Type.Integer(), items: Type.Array(item), _links: Type.Optional(Links) });

export const TeamRep = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    _creationDate: Type.Integer(),
    _lastModified: Type.Integer(),
    _version: Type.Integer(),
    _idpSynced: Type.Boolean(),
    _links: Links,
    _site: Type.Optional(
      Type.Object(
        { href: Type.String(), type: Type.String() },
        { description: 'Where there is a page of it' },
      ),
    ),
    members: Type.Optional(Counted(MemberSummary)),
    roles: Type.Optional(Counted(TeamRole)),
    roleAttributes: Type.Optional(RoleAttributesSchema),
    projects: Type.Optional(
      Counted(Type.Object({ _id: Type.String(), key: Type.String(), name: Type.String(), _links: Links })),
    ),
    maintainers: Type.Optional(Counted(MemberSummary)),
  },
  { $id: 'Team' },
);

export function teamResource({ key }: Pick<Team, 'key'>): string {
  return `team/${key}`;
}

/** Optional parts of the representation. */
export interface TeamExpansions {
  members?: { total: number; items: Member[] };
  roles?: { role: Role; appliedAt: number }[];
  projects?: { id: string; key: string; name: string }[];
  maintainers?: Member[];
  withAttributes?: boolean;
}

export function toTeam(team: Team, parts: TeamExpansions = {}): Static<typeof TeamRep> {
  const { members, roles, projects, maintainers, withAttributes } = parts;
  const at = (path = '') => linkTo(`/teams/${team.key}${path}`);
  return {
    key: team.key,
    name: team.name,
    description: team.description,
    _creationDate: team.createdAt,
    _lastModified: team.updatedAt,
    _version: team.version,
    _idpSynced: false,
    _links: { self: at(), parent: linkTo('/teams'), roles: at('/roles'), maintainers: at('/maintainers') },
    ...(members && {
      members: {
        totalCount: members.total,
        items: members.items.map(toMemberSummary),
        _links: { self: linkTo(`/members?filter=team:${team.key}`) },
      },
    }),
    ...(roles && {
      roles: {
        totalCount: roles.length,
        items: roles.map(({ role, appliedAt }) => toTeamRole(role, appliedAt)),
        _links: { self: at('/roles') },
      },
    }),
    ...(withAttributes && { roleAttributes: copyAttributes(team) }),
    ...(projects && {
      projects: {
        totalCount: projects.length,
        items: projects.map(({ id, key, name }) => ({
          _id: id,
          key,
          name,
          _links: { self: linkTo(`/projects/${key}`) },
        })),
      },
    }),
    ...(maintainers && {
      maintainers: {
        totalCount: maintainers.length,
        items: maintainers.map(toMemberSummary),
        _links: { self: at('/maintainers') },
      },
    }),
  };
}

export function toTeamRole({ key, name }: Role, appliedOn: number): Static<typeof TeamRole> {
  return { key, name, appliedOn, _links: { self: linkTo(`/roles/${key}`) } };
}

function copyAttributes({ roleAttributes }: Team): Record<string, string[]> {
  return Object.fromEntries(Object.entries(roleAttributes).map(([key, values]) => [key, [...values]]));
}

/** The whole team, for the audit log. */
export function toAuditedTeam(team: WholeTeam) {
  return {
    ...toTeam(team, { withAttributes: true }),
    memberIDs: team.memberIds,
    customRoleIds: team.roleIds,
    permissionGrants: team.grants,
  };
}

/** The permissions that the change requires, by changed field. */
export function teamAccesses(before: WholeTeam, after: WholeTeam): Access[] {
  const resource = teamResource(before);
  const differs = (...names: (keyof WholeTeam)[]) =>
    names.some((name) => !areEqual(before[name], after[name]));
  const actions = [
    ...(differs('name') ? ['updateTeamName'] : []),
    ...(differs('description') ? ['updateTeamDescription'] : []),
    ...(differs('memberIds') ? ['updateTeamMembers'] : []),
    ...(differs('roleIds', 'roleAttributes') ? ['updateTeamCustomRoles'] : []),
    ...(differs('grants') ? ['updateTeamPermissionGrants'] : []),
  ];
  return actions.map((action) => ({ action, resource }));
}
