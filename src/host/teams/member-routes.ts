// Members of a team: list, get, add, change the role, remove.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { VIEW_AS_MEMBER } from '../organizations/access.ts';
import { findMembership } from '../organizations/store-members.ts';
import { ownerOfAccount, SimpleUser, toSimpleUser } from '../owners/model.ts';
import { findUser } from '../owners/store.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import {
  openOrganizationTeam,
  openOrganizationTeamForChange,
  type OpenedTeam,
  TeamParams,
  teamPlaces,
} from './access.ts';
import { recordTeamChange, recordTeamMember } from './record-team.ts';
import { type OrganizationTeamRole, TeamMembership, toTeamMembership } from './model.ts';
import { listWithDescendants } from './store.ts';
import {
  deleteTeamMember,
  findTeamRole,
  isInTeams,
  listTeamMembers,
  saveTeamMember,
} from './store-members.ts';

const UPDATE_MEMBERS = 'updateTeamMembers';

const MembershipParams = Type.Object({ ...TeamParams, username: Type.String() });

const listMembers = route(
  {
    id: 'teams/list-members-in-org',
    method: 'GET',
    ...teamPlaces('/members'),
    summary: 'List the members of a team and of the teams below it',
    access: VIEW_AS_MEMBER,
    params: Type.Object(TeamParams),
    query: Type.Object({
      ...HostPageQuery,
      role: OneOf(['member', 'maintainer', 'all'], { default: 'all' }),
    }),
    list: SimpleUser,
  },
  async (call, { db }) => {
    const { team } = await openOrganizationTeam(db, call, 'viewer');
    const { role } = call.query;
    const slice = pageSliceOf(call.query);
    const below = (await listWithDescendants(db, team.number)).filter((number) => number !== team.number);
    const wanted = role === 'all' ? undefined : role;
    const { items, total } = await listTeamMembers(db, [team.number, ...below], wanted, slice);
    const accounts = await listAccounts(db, items);
    const shown = items.flatMap((id) => accounts.get(id) ?? []);
    return new Page(
      shown.map((account) => toSimpleUser(ownerOfAccount(account), call.base)),
      total,
      slice,
    );
  },
);

const getOne = route(
  {
    id: 'teams/get-membership-for-user-in-org',
    method: 'GET',
    ...teamPlaces('/memberships/{username}'),
    summary: "Get a user's membership of a team",
    description:
      'Members of teams below it are members, too. Admins of the organization maintain every team they are in.',
    access: VIEW_AS_MEMBER,
    params: MembershipParams,
    reply: { 200: TeamMembership },
  },
  async (call, { db }) => {
    const opened = await openOrganizationTeam(db, call, 'viewer');
    const account = await findUser(db, call.params.username);
    const role = account && (await findShownRole(db, opened, account));
    if (role === undefined) throw noTeamMember();
    return toTeamMembership(opened, account!.username, role, call.base);
  },
);

/** Undefined for those who are neither in the team nor in one below it. */
async function findShownRole(
  db: Db,
  { organization, team }: OpenedTeam,
  { id }: Account,
): Promise<OrganizationTeamRole | undefined> {
  const direct = await findTeamRole(db, team.number, id);
  if (direct === 'maintainer') return direct;
  const isIn = direct !== undefined || (await isInTeams(db, await listWithDescendants(db, team.number), id));
  if (!isIn) return undefined;
  const membership = await findMembership(db, organization.id, id);
  return membership?.role === 'admin' ? 'maintainer' : 'member';
}

const putOne = route(
  {
    id: 'teams/add-or-update-membership-for-user-in-org',
    method: 'PUT',
    ...teamPlaces('/memberships/{username}'),
    summary: 'Add a member of the organization to a team, or change the role of one',
    description: 'There are no invitations: who is no member of the organization has to become one first.',
    access: { action: UPDATE_MEMBERS, ofOwner: true },
    params: MembershipParams,
    body: Type.Object({ role: Type.Optional(OneOf(['member', 'maintainer'])) }),
    bodyIsOptional: true,
    reply: { 200: TeamMembership },
  },
  async (call, { changes }) => {
    const role = call.body?.role ?? 'member';
    return await changes.run(call, async (tx) => {
      const opened = await openOrganizationTeamForChange(tx.db, call, 'maintainer');
      const { organization, team } = opened;
      const account = await findUser(tx.db, call.params.username);
      if (account === undefined) throw new Failure('not-found', 'There is no such user');
      const { id, username } = account;
      if ((await findMembership(tx.db, organization.id, id)) === undefined)
        throw new Failure(
          'invalid',
          `${username} is not a member of ${organization.login}. Add the user to the organization first.`,
        );
      const before = await findTeamRole(tx.db, team.number, id);
      if (before !== role) {
        await saveTeamMember(tx.db, team.number, id, role, call.now);
        recordMember(tx, opened, username, { verb: 'changed the team member', before, after: role });
        if (before === undefined) await recordTeamMember(tx, opened, 'added', account);
        await tx.invalidate(REPOSITORY_CHANNEL);
      }
      const shown = (await findShownRole(tx.db, opened, account)) ?? role;
      return toTeamMembership(opened, username, shown, call.base);
    });
  },
);

const deleteOne = route(
  {
    id: 'teams/remove-membership-for-user-in-org',
    method: 'DELETE',
    ...teamPlaces('/memberships/{username}'),
    summary: 'Remove a member from a team, or leave it',
    access: { action: UPDATE_MEMBERS, ofOwner: true },
    params: MembershipParams,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const account = await findUser(tx.db, call.params.username);
      const isLeaving = account !== undefined && accountOf(call.caller).id === account.id;
      const opened = await openOrganizationTeamForChange(tx.db, call, isLeaving ? 'viewer' : 'maintainer');
      const { team } = opened;
      const before = account && (await findTeamRole(tx.db, team.number, account.id));
      if (account === undefined || before === undefined) throw noTeamMember();
      await deleteTeamMember(tx.db, team.number, account.id);
      recordMember(tx, opened, account.username, { verb: 'removed the team member', before });
      await recordTeamMember(tx, opened, 'removed', account);
      await tx.invalidate(REPOSITORY_CHANNEL);
    });
    return reply(204);
  },
);

interface MemberChange {
  verb: string;
  before?: OrganizationTeamRole | undefined;
  after?: OrganizationTeamRole;
}

function recordMember(
  on: Parameters<typeof recordTeamChange>[0],
  { organization, team }: OpenedTeam,
  username: string,
  { verb, before, after }: MemberChange,
): void {
  const shown = (role: OrganizationTeamRole) => ({ team: team.slug, member: username, role });
  recordTeamChange(
    on,
    organization,
    team,
    {
      action: UPDATE_MEMBERS,
      kind: 'organization-team-member',
      name: username,
      verb,
      ...(before && { before: shown(before) }),
      ...(after && { after: shown(after) }),
    },
    `:member/${username}`,
  );
}

function noTeamMember(): Failure {
  return new Failure('not-found', 'There is no such member of the team');
}

export const organizationTeamMemberRoutes = [listMembers, getOne, putOne, deleteOne];
