// The rules by which teams are created and changed, and which roles they get on repositories.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { actsOnAccount } from '../apps/program.ts';
import type { OpenedOrganization } from '../organizations/access.ts';
import { type Organization, ownerOfOrganization } from '../organizations/model.ts';
import { listMembersAmong } from '../organizations/store-members.ts';
import { findOrganizationFor, type OrganizationForAccount } from '../organizations/store.ts';
import { findUser, findOwner } from '../owners/store.ts';
import { type FoundRepository, repositoryNotFound } from '../repositories/access.ts';
import { isRepositoryVisible } from '../repositories/visibility.ts';
import { administersHost, roleOn } from '../repositories/caller-roles.ts';
import {
  includesRole,
  isRepositoryName,
  parseRole,
  type RepositoryRole,
  repositoryResource,
} from '../repositories/repository.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { listRepositoryRoles } from '../repository-roles/store.ts';
import type { TeamCall } from './access.ts';
import type { OrganizationTeam, TeamPrivacy } from './model.ts';
import { recordTeamMember, recordTeamRepository } from './record-team.ts';
import { findTeamRole, saveTeamMember } from './store-members.ts';
import { saveTeamRepository, listTeamGrants } from './store-repositories.ts';
import {
  findTeamByNumber,
  findTeamBySlug,
  hasChildTeams,
  isTeamNameTaken,
  listWithAncestors,
  listTeamsByNumber,
} from './store.ts';

interface ParentRequest {
  parent_team_id?: number | null | undefined;
  parent_team_slug?: string | null | undefined;
}

/** The parent that a request names: absent where it says nothing, null where it wants none. */
export async function readParent(
  tx: Db,
  call: TeamCall,
  { organization, isAdmin }: Pick<OpenedOrganization, 'organization' | 'isAdmin'>,
  { parent_team_id: number, parent_team_slug: slug }: ParentRequest,
): Promise<OrganizationTeam | null | undefined> {
  if (number === undefined && slug === undefined) return undefined;
  if (number === null || (number === undefined && slug === null)) return null;
  const field = number === undefined ? 'parent_team_slug' : 'parent_team_id';
  const parent =
    number === undefined
      ? await findTeamBySlug(tx, organization.id, slug!)
      : await findTeamByNumber(tx, number);
  const role = parent && (await findTeamRole(tx, parent.number, accountOf(call.caller).id));
  const isOwn = parent?.organizationId === organization.id;
  if (!isOwn || (parent.privacy === 'secret' && !isAdmin && role === undefined))
    throw problem(field, 'must name a team of the organization');
  if (parent.privacy === 'secret') throw problem(field, 'names a secret team, which cannot have children');
  if (!isAdmin && role !== 'maintainer')
    throw new Failure(
      'denied',
      'You must be a maintainer of the parent team or an admin of its organization.',
    );
  return parent;
}

/** Throws for a parent below the team: its members would have what the team has, in a circle. */
export async function checkNoCycle(tx: Db, team: OrganizationTeam, parent: OrganizationTeam): Promise<void> {
  if ((await listWithAncestors(tx, parent.number)).includes(team.number))
    throw problem('parent_team_id', 'must not be the team itself or a team below it');
}

/** Throws for a secret team that has a parent or children. */
export async function checkPrivacy(
  tx: Db,
  privacy: TeamPrivacy,
  parentNumber: number | null,
  number?: number,
): Promise<void> {
  if (privacy !== 'secret') return;
  if (parentNumber !== null) throw problem('privacy', 'must be closed for a team with a parent');
  if (number !== undefined && (await hasChildTeams(tx, number)))
    throw problem('privacy', 'must be closed for a team with children');
}

export async function checkTeamName(
  tx: Db,
  organization: Organization,
  name: string,
  own?: number,
): Promise<void> {
  if (name.trim() === '') throw problem('name', 'must have a letter or a digit');
  if (await isTeamNameTaken(tx, organization.id, name, own))
    throw problem('name', 'is the name of another team of the organization');
}

/** Those who create a team maintain it, and those whom they name; all must be members of the organization. */
export async function addFirstMaintainers(
  tx: ChangeTransaction,
  call: TeamCall,
  { organization, membership }: OpenedOrganization,
  team: OrganizationTeam,
  usernames: readonly string[],
): Promise<string[]> {
  const { db, actor } = tx;
  const accounts = await Promise.all(usernames.map((username) => findUser(db, username)));
  const ids = accounts.flatMap((account) => account?.id ?? []);
  const members = await listMembersAmong(db, organization.id, ids);
  const stranger = usernames.find((_, at) => !members.has(accounts[at]?.id ?? ''));
  if (stranger !== undefined)
    throw problem('maintainers', `must be members of the organization: ${stranger} is not`);
  const own = membership === undefined ? [] : [accountOf(call.caller)];
  const all = new Map([...own, ...accounts.flatMap((one) => one ?? [])].map((one) => [one.id, one]));
  for (const account of all.values()) {
    await saveTeamMember(db, team.number, account.id, 'maintainer', actor.now);
    await recordTeamMember(tx, { organization, team }, 'added', account);
  }
  return [...all.values()].map(({ username }) => username);
}

/** By their full names, with the team's own permission. */
export async function addFirstRepositories(
  tx: ChangeTransaction,
  call: TeamCall,
  organization: Organization,
  team: OrganizationTeam,
  fullNames: readonly string[],
): Promise<void> {
  for (const fullName of fullNames) {
    const [owner = '', repo = '', ...rest] = fullName.split('/');
    if (rest.length > 0 || repo === '') throw problem('repo_names', 'must be full names, as in owner/name');
    const found = await openTeamRepository(tx.db, call, { owner, repo }, 'admin');
    checkOwned(found, organization, 'repo_names');
    const grant = { repositoryNumber: found.repository.number, role: roleOfPermission(team) };
    await saveTeamRepository(tx.db, team.number, grant, tx.actor.now);
    await recordTeamRepository(tx, { organization, team }, found, { after: grant.role });
  }
}

export function roleOfPermission({ permission }: Pick<OrganizationTeam, 'permission'>): string {
  return { pull: 'read', push: 'write', admin: 'admin' }[permission];
}

/** A team with a repository that it was given. */
interface TeamGrant {
  organization: Organization;
  team: OrganizationTeam;
  role: string;
}

/**
 * With the role that each team has on new repositories. The transaction has locked the owner, so that the teams stay.
 * Throws for teams of others, and for secret teams that the caller may not know of, in the same words.
 */
export async function giveToTeams(
  tx: ChangeTransaction,
  caller: KnownCaller,
  found: FoundRepository,
  { field, ids }: { field: string; ids: readonly number[] },
): Promise<TeamGrant[]> {
  if (ids.length === 0) return [];
  const { db, actor } = tx;
  const { repository, owner } = found;
  const place = await findOrganizationFor(db, { id: owner.id }, accountOf(caller).id);
  const teams = await listTeamsByNumber(db, ids);
  const grants: TeamGrant[] = [];
  for (const id of ids) {
    const team = teams.get(id);
    if (team === undefined || place === undefined || !(await isSeen(tx, caller, place, team)))
      throw problem(field, `must name a team of the owner, an organization: ${id} is none`);
    const { organization } = place;
    const role = roleOfPermission(team);
    await saveTeamRepository(db, id, { repositoryNumber: repository.number, role }, actor.now);
    await recordTeamRepository(tx, { organization, team }, found, { after: role });
    grants.push({ organization, team, role });
  }
  return grants;
}

async function isSeen(
  { db: tx }: ChangeTransaction,
  caller: KnownCaller,
  { organization, membership }: OrganizationForAccount,
  team: OrganizationTeam,
): Promise<boolean> {
  if (team.organizationId !== organization.id) return false;
  if (membership?.role === 'admin' || administersHost(caller) || actsOnAccount(caller, organization.id))
    return true;
  if (team.privacy === 'closed' && membership !== undefined) return true;
  return (await findTeamRole(tx, team.number, accountOf(caller).id)) !== undefined;
}

/** Throws for a repository that the caller may not see, or on which the caller's role or token does not suffice. */
export async function openTeamRepository(
  db: Db,
  call: TeamCall,
  { owner: login, repo }: { owner: string; repo: string },
  needed: 'read' | 'admin',
): Promise<FoundRepository> {
  const owner = isRepositoryName(repo) ? await findOwner(db, login) : undefined;
  const repository = owner && (await findRepositoryByName(db, owner, repo));
  if (owner === undefined || repository === undefined) throw repositoryNotFound();
  const found = { owner, repository };
  const resource = repositoryResource(found);
  const role = await roleOn(db, call.caller, found.repository);
  if (role === undefined || !isRepositoryVisible(call.caller, { ...found, role })) throw repositoryNotFound();
  if (needed === 'admin' && !(includesRole(role, 'admin') && call.can(resource, 'updateRepository')))
    throw new Failure('denied', 'You must have admin rights to the repository.');
  return found;
}

/** The strongest role, by the repository's number, and the name by which it was granted. */
interface TeamRepositoryRole {
  role: RepositoryRole;
  name: string;
}

/** What the teams, which are one team and its parents, have on the repositories. */
export async function listTeamRepositoryRoles(
  db: Db,
  organizationId: string,
  teamNumbers: readonly number[],
  repositoryNumbers: readonly number[],
): Promise<Map<number, TeamRepositoryRole>> {
  const grants = await listTeamGrants(db, teamNumbers, repositoryNumbers);
  const isCustom = grants.some(({ role }) => parseRole(role) === undefined);
  const customRoles = isCustom ? await listRepositoryRoles(db, organizationId) : [];
  const bases = new Map(customRoles.map(({ name, baseRole }) => [name, baseRole]));
  const strongest = new Map<number, TeamRepositoryRole>();
  for (const { repositoryNumber, role: name } of grants) {
    const role = parseRole(name) ?? bases.get(name);
    const known = strongest.get(repositoryNumber);
    if (role !== undefined && !includesRole(known?.role, role))
      strongest.set(repositoryNumber, { role, name });
  }
  return strongest;
}

/** Teams are given repositories of their own organization only. */
export function checkOwned({ repository }: FoundRepository, organization: Organization, field: string): void {
  if (repository.ownerId !== ownerOfOrganization(organization).id)
    throw problem(field, `must be a repository of ${organization.login}`);
}
