// Loads the optional parts of team representations, for a page of teams at once.
import { compilePolicy, type PolicyStatement } from '../../kernel/identity/policy.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { Role } from '../../kernel/identity/store-roles.ts';
import { fillPlaceholders } from '../../kernel/identity/role-policies.ts';
import { grantedActions, listTeamRoles, type Team } from '../../kernel/identity/store-member-teams.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { listMemberRecords } from '../members/store.ts';
import { memberResource } from '../members/model.ts';
import { listProjectNames } from '../projects/store.ts';
import { projectResource } from '../policy/resources.ts';
import { listGrants, countTeamMembers, listMemberIdsOfTeams } from './store.ts';
import type { Expand, TeamExpansions } from './model.ts';

export async function findExpansions(
  call: Pick<Call, 'can'>,
  db: Db,
  teams: readonly Team[],
  expand: ReadonlySet<Expand>,
  mostMembers?: number,
): Promise<(team: Team) => TeamExpansions> {
  const ids = teams.map(({ id }) => id);
  const members = expand.has('members') ? await findMembers(call, db, ids, mostMembers) : undefined;
  const needsRoles = expand.has('roles') || expand.has('projects');
  const roles = needsRoles ? await listTeamRoles(db, ids) : [];
  const projects = expand.has('projects') ? await listProjects(call, db) : undefined;
  const maintainers = new Map<string, Member[]>();
  if (expand.has('maintainers')) {
    for (const team of teams) maintainers.set(team.id, await listMaintainers(db, team));
  }
  return (team) => {
    const own = roles.filter(({ teamId }) => teamId === team.id);
    return {
      ...(members && { members: members(team) }),
      ...(expand.has('roles') && { roles: own.map((role) => ({ role, appliedAt: role.appliedAt })) }),
      ...(projects && { projects: projects.filter((project) => canWriteIn(team, own, project.resource)) }),
      ...(expand.has('maintainers') && { maintainers: maintainers.get(team.id)! }),
      ...(expand.has('roleAttributes') && { withAttributes: true }),
    };
  };
}

/** How many members each team has, and those whom the caller may see: the first of them where they are limited. */
async function findMembers(
  call: Pick<Call, 'can'>,
  db: Db,
  teamIds: readonly string[],
  most: number | undefined,
): Promise<(team: Team) => { total: number; items: Member[] }> {
  const counts = await countTeamMembers(db, teamIds);
  const idsOf = await listMemberIdsOfTeams(db, teamIds, most);
  const all = [...new Set([...idsOf.values()].flat())];
  const seen = await filterInSlices(all, (id) => call.can(memberResource({ id }), 'viewMember'));
  const records = new Map((await listMemberRecords(db, seen)).map((member) => [member.id, member]));
  return ({ id }) => ({
    total: counts.get(id) ?? 0,
    items: (idsOf.get(id) ?? []).flatMap((member) => records.get(member) ?? []),
  });
}

/** Members who may change the members of the team. */
export async function listMaintainers(db: Db, { id }: Team): Promise<Member[]> {
  const grants = await listGrants(db, id);
  const maintaining = grants.filter((grant) => grantedActions(grant).includes('updateTeamMembers'));
  return listMemberRecords(db, [...new Set(maintaining.map(({ memberId }) => memberId))]);
}

async function listProjects(call: Pick<Call, 'can'>, db: Db) {
  const projects = await listProjectNames(db);
  return projects
    .map((project) => ({ ...project, resource: projectResource(project) }))
    .filter(({ resource }) => call.can(resource, 'viewProject'))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Whether any role allows more than viewing, on the project or something in it. */
function canWriteIn({ roleAttributes }: Team, roles: readonly Role[], project: string): boolean {
  const isMore = (actions: readonly string[]) => actions.some((action) => !action.startsWith('view'));
  const inside = ({ effect, actions, resources, notResources }: PolicyStatement): boolean => {
    if (effect !== 'allow' || (actions !== undefined && !isMore(actions))) return false;
    if (resources === undefined) return notResources !== undefined;
    const heads = resources.map((resource) => resource.split(':', 1)[0]!);
    const policy = compilePolicy([{ effect, actions: ['*'], resources: heads }]);
    return policy.allows('update', project);
  };
  return roles.some(({ policy }) => fillPlaceholders(policy, roleAttributes).some(inside));
}
