// Members of the account: a search, and what one of them may do. Who sees them is the rule of the flags API.
import { couldBeId } from '../../flags/fields.ts';
import { unknownThing } from '../../flags/find-project.ts';
import { memberResource, type MemberRecord } from '../../flags/members/model.ts';
import { listMemberRecords } from '../../flags/members/store.ts';
import { roleResource } from '../../flags/roles/model.ts';
import { Failure } from '../../kernel/failure.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import { listMembersWithFactor } from '../../kernel/identity/second-factor/store.ts';
import { listInvitations } from '../../kernel/identity/sessions/store-login-links.ts';
import {
  grantedActions,
  listMemberGrants,
  listMemberTeams,
  listTeamRoles,
} from '../../kernel/identity/store-member-teams.ts';
import { findRoles, type Role } from '../../kernel/identity/store-roles.ts';
import { OneOf, PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { cursorPage } from '../cursor-page.ts';
import { describeAbilities, type HeldPolicy, type MemberPower } from './abilities.ts';
import { searchByName } from './list-members.ts';
import { Abilities, AccountMember, MEMBER_STATES, toAccountMember, type ListedMember } from './model.ts';
import { findMemberPlace } from './store.ts';

const ACCESS = { action: 'viewMember', others: ['viewRole'] };
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

const listMembers = route(
  {
    id: 'listMembers',
    method: 'GET',
    path: '/members',
    summary: 'Search the members of the account, by name',
    description:
      'A page may have fewer members than its limit, or none, though there are more: a search for rare ones goes on with `next`.',
    access: ACCESS,
    query: Type.Object({
      q: Type.Optional(PlainText({ maxLength: 200, description: 'Part of a name or of an address' })),
      role: Type.Optional(
        PlainText({ maxLength: 256, description: 'A base role, or the key of a custom role' }),
      ),
      state: Type.Optional(OneOf(MEMBER_STATES)),
      limit: Type.Optional(
        Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) }),
      ),
      cursor: Type.Optional(PlainText({ maxLength: 100, description: '`next` of the page before' })),
    }),
    list: AccountMember,
  },
  async (call, { db }) => {
    const { q, role, state, limit, cursor } = call.query;
    const after = cursor === undefined ? undefined : await findMemberPlace(db, cursor);
    if (cursor !== undefined && after === undefined)
      throw problem('query.cursor', 'is not the `next` of a page');
    const { members, next, hasSeen } = await searchByName(
      db,
      { q, role, state, after, limit: clampLimit(limit, DEFAULT_LIMIT, MAX_LIMIT) },
      (member) => call.can(memberResource(member)),
    );
    if (!hasSeen && next === undefined && cursor === undefined && role === undefined)
      call.requirePermission('member/*');
    // There may have been nobody to ask for.
    call.can('member/*');
    return cursorPage(await showMembers(db, call, members), next);
  },
);

async function showMembers(db: Db, call: RoleViewer, members: readonly ListedMember[]) {
  const ids = members.map(({ id }) => id);
  const keys = [...new Set(members.flatMap(({ customRoles }) => customRoles))];
  const [roles, belongings, invitations, withFactor] = await Promise.all([
    findRoles(db, keys),
    listMemberTeams(db, ids),
    listInvitations(db, ids),
    listMembersWithFactor(db, ids),
  ]);
  const teams = Map.groupBy(belongings, ({ memberId }) => memberId);
  const seen = roles.filter((role) => call.can(roleResource(role), 'viewRole'));
  const roleNames = new Map(seen.map(({ key, name }) => [key, name]));
  return members.map((member) =>
    toAccountMember(member, {
      roleNames,
      teams: (teams.get(member.id) ?? []).map(({ team }) => team),
      invitationUntil: invitations.get(member.id),
      hasSecondFactor: withFactor.has(member.id),
      now: call.now,
    }),
  );
}

type RoleViewer = Pick<Call, 'can' | 'now'>;

const getAbilities = route(
  {
    id: 'getMemberAbilities',
    method: 'GET',
    path: '/members/{id}/abilities',
    summary: 'Say in sentences what a member may do',
    description:
      'From the base role, and from custom roles of their own and of their teams. A role that the caller may not see is only named.',
    access: ACCESS,
    params: Type.Object({ id: Type.String({ description: 'An id, or `me`' }) }),
    reply: { 200: Abilities },
  },
  async (call, { db }) => {
    const { caller } = call;
    const own = caller.token?.isService === true ? undefined : caller.member.id;
    const id = call.params.id === 'me' ? (own ?? '') : call.params.id;
    const [member] = couldBeId(id) ? await listMemberRecords(db, [id]) : [];
    const resource = memberResource({ id });
    if (!call.can(resource) && id !== own)
      throw new Failure('forbidden', 'You may not see this member, or there is none.', {
        access: { action: 'viewMember', resource: member === undefined ? 'member/*' : resource },
      });
    if (member === undefined) throw unknownThing('member', call.params.id);
    return describeAbilities(await readPower(db, call, member));
  },
);

async function readPower(db: Db, call: RoleViewer, member: MemberRecord): Promise<MemberPower> {
  const [roles, belongings, grants] = await Promise.all([
    findRoles(db, member.customRoles),
    listMemberTeams(db, [member.id]),
    listMemberGrants(db, member.id),
  ]);
  const teams = new Map(belongings.map(({ team }) => [team.id, team]));
  const ofTeams = await listTeamRoles(db, [...teams.keys()]);
  const toHeld = (role: Role): Omit<HeldPolicy, 'attributes'> => ({
    key: role.key,
    statements: role.policy,
    baseRole: role.baseRole,
    isVisible: call.can(roleResource(role), 'viewRole'),
  });
  return {
    role: member.role,
    policies: [
      ...roles.map((role) => ({ ...toHeld(role), attributes: member.roleAttributes })),
      ...ofTeams.map((role) => {
        const team = teams.get(role.teamId);
        return {
          ...toHeld(role),
          attributes: team?.roleAttributes ?? {},
          ...(team && { team: team.key }),
        };
      }),
    ],
    grants: grants.map((grant) => ({ team: grant.teamKey, actions: grantedActions(grant) })),
  };
}

export const memberSearchRoutes = [listMembers, getAbilities];
