// Teams of an organization: list, create, get, change and delete.
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import {
  openOrganization,
  openOrganizationForChange,
  VIEW_AS_MEMBER,
  OrganizationParams,
} from '../organizations/access.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { deleteRequestsOfTeams } from '../reviews/store-requests.ts';
import { openOrganizationTeam, openOrganizationTeamForChange, TeamParams, teamPlaces } from './access.ts';
import {
  auditedTeam,
  recordTeamChange,
  readTeamForEvent,
  recordEditedTeam,
  recordTeamEvent,
} from './record-team.ts';
import {
  addFirstMaintainers,
  addFirstRepositories,
  checkNoCycle,
  checkPrivacy,
  checkTeamName,
  readParent,
} from './change.ts';
import {
  ListedTeam,
  TeamFull,
  OrganizationTeamPatch,
  OrganizationTeamPost,
  TEAM_PERMISSION,
  type WithTeamPermission,
} from './model.ts';
import { showListedTeams, showTeam, showTeams } from './show.ts';
import {
  deleteOrganizationTeam,
  findFreeSlug,
  insertOrganizationTeam,
  listChildTeams,
  listOrganizationTeams,
  listTeamsByNumber,
  listTeamsOfAccount,
  listWithDescendants,
  updateOrganizationTeam,
} from './store.ts';

const listAll = route(
  {
    id: 'teams/list',
    method: 'GET',
    path: '/orgs/{org}/teams',
    summary: 'List the teams of an organization that the caller sees',
    access: VIEW_AS_MEMBER,
    params: Type.Object(OrganizationParams),
    query: Type.Object({
      team_type: Type.Optional(
        OneOf(['all', 'enterprise', 'organization'], {
          description: 'All teams here are teams of an organization',
        }),
      ),
      ...HostPageQuery,
    }),
    list: ListedTeam,
  },
  async (call, { db }) => {
    const { organization, isAdmin } = await openOrganization(db, call, 'insider');
    const slice = pageSliceOf(call.query);
    if (call.query.team_type === 'enterprise') return new Page([], 0, slice);
    const viewer = isAdmin ? undefined : accountOf(call.caller).id;
    const { items, total } = await listOrganizationTeams(db, organization.id, viewer, slice);
    return new Page(await showListedTeams(db, organization, items, call.base), total, slice);
  },
);

const createOne = route(
  {
    id: 'teams/create',
    method: 'POST',
    path: '/orgs/{org}/teams',
    summary: 'Create a team, which the caller maintains',
    description:
      'Every member of the organization may. A team with a parent is closed, another secret, unless it says so.',
    access: { action: 'createTeam', ofOwner: true },
    params: Type.Object(OrganizationParams),
    body: OrganizationTeamPost,
    reply: { 201: TeamFull },
  },
  async (call, { changes, db }) => {
    const { body } = call;
    const permission = (body as WithTeamPermission)[TEAM_PERMISSION] ?? 'pull';
    const created = await changes.run(call, async (tx) => {
      const opened = await openOrganizationForChange(tx.db, call, 'insider');
      const { organization } = opened;
      await checkTeamName(tx.db, organization, body.name);
      const parent = (await readParent(tx.db, call, opened, body)) ?? null;
      const fields = {
        slug: await findFreeSlug(tx.db, organization.id, body.name),
        name: body.name,
        description: body.description ?? null,
        privacy: body.privacy ?? (parent === null ? 'secret' : 'closed'),
        notificationSetting: body.notification_setting ?? 'notifications_enabled',
        permission,
        parentNumber: parent?.number ?? null,
      };
      await checkPrivacy(tx.db, fields.privacy, fields.parentNumber);
      const team = await insertOrganizationTeam(tx.db, organization.id, fields, call.now);
      await recordTeamEvent(tx, organization, 'created', { ...team, parent });
      const maintainers = await addFirstMaintainers(tx, call, opened, team, body.maintainers ?? []);
      await addFirstRepositories(tx, call, organization, team, body.repo_names ?? []);
      const after = { ...auditedTeam(team), maintainers, repositories: body.repo_names ?? [] };
      recordTeamChange(tx, organization, team, { action: 'createTeam', verb: 'created the team', after });
      await tx.invalidate(REPOSITORY_CHANNEL);
      return team;
    });
    return reply(201, await showTeam(db, created, call.base));
  },
);

const getOne = route(
  {
    id: 'teams/get-by-name',
    method: 'GET',
    ...teamPlaces(''),
    summary: 'Get a team',
    access: VIEW_AS_MEMBER,
    params: Type.Object(TeamParams),
    reply: { 200: TeamFull },
  },
  async (call, { db }) => {
    const { team } = await openOrganizationTeam(db, call, 'viewer');
    return await showTeam(db, team, call.base);
  },
);

const updateOne = route(
  {
    id: 'teams/update-in-org',
    method: 'PATCH',
    ...teamPlaces(''),
    summary: 'Change a team',
    description: 'A new name changes the slug, too.',
    access: { action: 'updateTeam', ofOwner: true },
    params: Type.Object(TeamParams),
    body: OrganizationTeamPatch,
    reply: { 200: TeamFull },
  },
  async (call, { changes, db }) => {
    const { body } = call;
    const changed = await changes.run(call, async (tx) => {
      const opened = await openOrganizationTeamForChange(tx.db, call, 'maintainer');
      const { organization, team: before } = opened;
      const name = body.name ?? before.name;
      await checkTeamName(tx.db, organization, name, before.number);
      const parent = await readParent(tx.db, call, opened, body);
      if (parent) await checkNoCycle(tx.db, before, parent);
      const parentNumber = parent === undefined ? before.parentNumber : (parent?.number ?? null);
      const privacy = body.privacy ?? before.privacy;
      await checkPrivacy(tx.db, privacy, parentNumber, before.number);
      const slug =
        name === before.name ? before.slug : await findFreeSlug(tx.db, organization.id, name, before.number);
      const fields = {
        slug,
        name,
        description: body.description === undefined ? before.description : body.description,
        privacy,
        notificationSetting: body.notification_setting ?? before.notificationSetting,
        permission: body.permission ?? before.permission,
        parentNumber,
      };
      const after = await updateOrganizationTeam(tx.db, before.number, fields, call.now);
      recordTeamChange(tx, organization, before, {
        action: 'updateTeam',
        verb: 'changed the team',
        before: auditedTeam(before),
        after: auditedTeam(after),
      });
      await recordEditedTeam(tx, organization, before, after);
      await tx.invalidate(REPOSITORY_CHANNEL);
      return after;
    });
    return await showTeam(db, changed, call.base);
  },
);

const deleteOne = route(
  {
    id: 'teams/delete-in-org',
    method: 'DELETE',
    ...teamPlaces(''),
    summary: 'Delete a team, with all teams below it',
    access: { action: 'deleteTeam', ofOwner: true },
    params: Type.Object(TeamParams),
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { organization, team } = await openOrganizationTeamForChange(tx.db, call, 'maintainer');
      const below = await listTeamsByNumber(tx.db, await listWithDescendants(tx.db, team.number));
      await deleteRequestsOfTeams(tx.db, [...below.keys()]);
      const parent = (await readTeamForEvent(tx.db, team)).parent ?? undefined;
      await deleteOrganizationTeam(tx.db, team.number);
      for (const gone of below.values()) {
        recordTeamChange(tx, organization, gone, {
          action: 'deleteTeam',
          verb: 'deleted the team',
          before: auditedTeam(gone),
        });
        const above = gone.number === team.number ? parent : below.get(gone.parentNumber ?? 0);
        await recordTeamEvent(tx, organization, 'deleted', { ...gone, parent: above ?? null });
      }
      await tx.invalidate(REPOSITORY_CHANNEL);
    });
    return reply(204);
  },
);

const listChildren = route(
  {
    id: 'teams/list-child-in-org',
    method: 'GET',
    ...teamPlaces('/teams'),
    summary: 'List the children of a team',
    access: VIEW_AS_MEMBER,
    params: Type.Object(TeamParams),
    query: Type.Object(HostPageQuery),
    list: ListedTeam,
  },
  async (call, { db }) => {
    const { organization, team } = await openOrganizationTeam(db, call, 'viewer');
    const slice = pageSliceOf(call.query);
    // Secret teams are nobody's children, so all of them may be seen.
    const { items, total } = await listChildTeams(db, team.number, slice);
    return new Page(await showListedTeams(db, organization, items, call.base), total, slice);
  },
);

const listOwn = route(
  {
    id: 'teams/list-for-authenticated-user',
    method: 'GET',
    path: '/user/teams',
    summary: 'List the teams of the caller',
    access: VIEW_AS_MEMBER,
    query: Type.Object(HostPageQuery),
    list: TeamFull,
  },
  async (call, { db }) => {
    call.requirePermission('org/*');
    const slice = pageSliceOf(call.query);
    const { items, total } = await listTeamsOfAccount(db, accountOf(call.caller).id, slice);
    return new Page(await showTeams(db, items, call.base), total, slice);
  },
);

export const organizationTeamRoutes = [
  listAll,
  createOne,
  getOne,
  updateOne,
  deleteOne,
  listChildren,
  listOwn,
];
