// Teams: list, create, get, patch, delete, and the lists of their roles and maintainers.
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { Failure } from '../../kernel/failure.ts';
import { findRoles } from '../../kernel/identity/store-roles.ts';
import { listTeamRoles, type Team } from '../../kernel/identity/store-member-teams.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { listMemberRecords } from '../members/store.ts';
import { couldBeKey } from '../fields.ts';
import { listKinds, inPostedBody } from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import {
  ExpandQuery,
  FilterQuery,
  PageQuery,
  readExpand,
  readFieldFilter,
  sliceOf,
} from '../lists/list-query.ts';
import { requireRoles } from '../members/change-member.ts';
import { readBoolean } from '../members/filter.ts';
import { MemberSummary, toMemberSummary } from '../members/model.ts';
import { unknownThing } from '../find-project.ts';
import { readSemanticPatch, updateOf } from '../patch/patch.ts';
import { insertTeam, deleteTeam, findTeam, listTeams } from './store.ts';
import { changeTeam, checkTeamPower, openTeam, requireMembers } from './change-team.ts';
import {
  applyTeamInstructions,
  grantsOf,
  namesIn,
  readTeamInstructions,
  sorted,
  sortGrants,
  teamKinds,
} from './instructions.ts';
import {
  TEAM_EXPANDS,
  teamResource,
  TeamPost,
  TeamRep,
  TeamRole,
  toAuditedTeam,
  toTeam,
  toTeamRole,
  type WholeTeam,
} from './model.ts';
import { findExpansions, listMaintainers } from './expansions.ts';

const ByKey = Type.Object({ teamKey: Type.String() });
const FILTERS = ['query', 'nomembers'] as const;
const MAX_LIMIT = 100;
/** Of each team in a list: their link leads to the others. */
const MAX_LISTED_MEMBERS = 20;

const getTeams = route(
  {
    id: 'getTeams',
    method: 'GET',
    path: '/teams',
    summary: 'List teams',
    description: `With \`expand=members\` each team has its first ${MAX_LISTED_MEMBERS} members, and a link to all.`,
    access: { action: 'viewTeam' },
    query: Type.Object({ ...PageQuery, ...FilterQuery(FILTERS), ...ExpandQuery(TEAM_EXPANDS) }),
    list: TeamRep,
  },
  async (call, { db }) => {
    const expand = readExpand(call.query.expand, TEAM_EXPANDS);
    const { query, nomembers } = readFieldFilter(call.query.filter, FILTERS);
    const teams = await listTeams(db, {
      ...(query !== undefined && { query }),
      ...(nomembers !== undefined && { hasNoMembers: readBoolean(nomembers, 'nomembers') }),
    });
    const seen = await filterInSlices(teams, (team) => call.can(teamResource(team)));
    if (seen.length === 0) call.requirePermission('team/*');
    const page = pageOf(seen, sliceOf(call.query, 20, MAX_LIMIT));
    const parts = await findExpansions(call, db, page.items, expand, MAX_LISTED_MEMBERS);
    return page.map((team) => toTeam(team, parts(team)));
  },
);

const postTeam = route(
  {
    id: 'postTeam',
    method: 'POST',
    path: '/teams',
    summary: 'Create a team',
    access: { action: 'createTeam' },
    query: Type.Object(ExpandQuery(TEAM_EXPANDS)),
    body: TeamPost,
    reply: { 201: TeamRep },
  },
  async (call, { changes, db }) => {
    const expand = readExpand(call.query.expand, TEAM_EXPANDS);
    const access = { action: 'createTeam', resource: teamResource(call.body) };
    call.requirePermission(access.resource);
    const team = await changes.run(call, async (tx) => {
      const wanted = await readTeamPost(tx.db, call.body);
      await checkTeamPower(
        tx,
        { ...wanted, memberIds: [], roleIds: [], grants: [], roleAttributes: {} },
        wanted,
      );
      const made = await insertTeam(tx.db, wanted, call.now);
      if (made === undefined) throw new Failure('conflict', 'Duplicate team key', { code: 'key_exists' });
      tx.record({
        accesses: [access],
        kind: 'team',
        name: made.name,
        verb: 'created the team',
        after: toAuditedTeam({ ...wanted, ...made }),
      });
      await tx.invalidate(IDENTITY);
      return made;
    });
    const parts = await findExpansions(call, db, [team], expand);
    return reply(201, toTeam(team, parts(team)), { location: `/api/v2/teams/${team.key}` });
  },
);

const getTeam = route(
  {
    id: 'getTeam',
    method: 'GET',
    path: '/teams/{teamKey}',
    summary: 'Get a team',
    description: 'With `expand=members` it has those of its members whom the caller may see.',
    access: { action: 'viewTeam' },
    params: ByKey,
    query: Type.Object(ExpandQuery(TEAM_EXPANDS)),
    reply: { 200: TeamRep },
  },
  async (call, { db }) => {
    const expand = readExpand(call.query.expand, TEAM_EXPANDS);
    const team = await viewTeam(call, db, call.params.teamKey);
    return toTeam(team, (await findExpansions(call, db, [team], expand))(team));
  },
);

const patchTeam = route(
  {
    id: 'patchTeam',
    method: 'PATCH',
    path: '/teams/{teamKey}',
    summary: 'Change a team by semantic patch',
    description:
      'Who takes members into a team gives them its roles, and needs to be in it, to tend it, to hold its roles or to be an ' +
      `administrator. Instructions:\n\n${listKinds(teamKinds)}`,
    access: { action: 'updateTeam*', others: ['viewTeam'] },
    params: ByKey,
    query: Type.Object(ExpandQuery(TEAM_EXPANDS)),
    ...takesPatches('Team', { instructions: teamKinds }),
    reply: { 200: TeamRep },
  },
  async (call, { changes, db }) => {
    const expand = readExpand(call.query.expand, TEAM_EXPANDS);
    const patch = readSemanticPatch(call);
    const instructions = readTeamInstructions(patch.instructions);
    const after = await changes.run(call, async (tx) => {
      const team = await openTeam(tx.db, call.params.teamKey);
      const named = namesIn(instructions);
      const members = new Set((await listMemberRecords(tx.db, named.members)).map(({ id }) => id));
      const roles = await findRoles(tx.db, named.roles);
      const known = {
        members,
        roles: new Map(
          roles.flatMap((role) => [
            [role.id, role],
            [role.key, role],
          ]),
        ),
      };
      const wanted = applyTeamInstructions(team, instructions, known);
      const auditFields = { comment: patch.comment, update: updateOf(patch) };
      const changed = await changeTeam(tx, team, wanted, auditFields);
      if (changed === team) call.requirePermission(teamResource(team), 'viewTeam');
      return changed;
    });
    return toTeam(after, (await findExpansions(call, db, [after], expand))(after));
  },
);

const deleteTeamRoute = route(
  {
    id: 'deleteTeam',
    method: 'DELETE',
    path: '/teams/{teamKey}',
    summary: 'Delete a team',
    description: 'Its members lose the roles that it gave them.',
    access: { action: 'deleteTeam' },
    params: ByKey,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const team = await openTeam(db, call.params.teamKey);
      const access = { action: 'deleteTeam', resource: teamResource(team) };
      call.requirePermission(access.resource);
      await deleteTeam(db, team);
      tx.record({
        accesses: [access],
        kind: 'team',
        name: team.name,
        verb: 'deleted the team',
        before: toAuditedTeam(team),
      });
      await tx.invalidate(IDENTITY);
    });
    return reply(204);
  },
);

const getTeamRoles = route(
  {
    id: 'getTeamRoles',
    method: 'GET',
    path: '/teams/{teamKey}/roles',
    summary: 'List the custom roles of a team',
    access: { action: 'viewTeam' },
    params: ByKey,
    query: Type.Object(PageQuery),
    list: TeamRole,
  },
  async (call, { db }) => {
    const team = await viewTeam(call, db, call.params.teamKey);
    const page = pageOf(await listTeamRoles(db, [team.id]), sliceOf(call.query));
    return page.map((role) => toTeamRole(role, role.appliedAt));
  },
);

const getTeamMaintainers = route(
  {
    id: 'getTeamMaintainers',
    method: 'GET',
    path: '/teams/{teamKey}/maintainers',
    summary: 'List the members who maintain a team',
    access: { action: 'viewTeam' },
    params: ByKey,
    query: Type.Object(PageQuery),
    list: MemberSummary,
  },
  async (call, { db }) => {
    const team = await viewTeam(call, db, call.params.teamKey);
    return pageOf(await listMaintainers(db, team), sliceOf(call.query)).map(toMemberSummary);
  },
);

export const teamRoutes = [
  getTeams,
  postTeam,
  getTeam,
  patchTeam,
  deleteTeamRoute,
  getTeamRoles,
  getTeamMaintainers,
];

function pageOf<Item>(items: Item[], slice: Slice): Page<Item> {
  return new Page(items.slice(slice.offset, slice.offset + slice.limit), items.length, slice);
}

/** Fails unless the caller may view the team. */
async function viewTeam(call: Pick<Call, 'can'>, db: Db, key: string): Promise<Team> {
  const team = couldBeKey(key) ? await findTeam(db, key) : undefined;
  if (team === undefined) throw unknownThing('team', key);
  const access = { action: 'viewTeam', resource: teamResource(team) };
  if (call.can(access.resource, access.action)) return team;
  throw new Failure('forbidden', 'Forbidden. Access to the requested resource was denied.', { access });
}

async function readTeamPost(tx: Db, post: Static<typeof TeamPost>): Promise<WholeTeam> {
  const { memberIDs = [], permissionGrants = [], customRoleKeys = [] } = post;
  const grants = await inPostedBody(async () => sortGrants(permissionGrants.flatMap(grantsOf)));
  const roles = await requireRoles(tx, customRoleKeys, 'customRoleKeys');
  await requireMembers(tx, memberIDs, 'memberIDs');
  await requireMembers(tx, [...new Set(grants.map(({ memberId }) => memberId))], 'permissionGrants');
  return {
    id: '',
    key: post.key,
    name: post.name,
    description: post.description ?? '',
    roleAttributes: post.roleAttributes ?? {},
    memberIds: sorted(memberIDs),
    roleIds: roles.map(({ id }) => id),
    grants,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
  };
}
