// The rules by which teams are created and changed.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { OpenedOrganization } from '../organizations/access.ts';
import type { Organization } from '../organizations/model.ts';
import { listMembersAmong } from '../organizations/store-members.ts';
import { findUser } from '../owners/store.ts';
import type { TeamCall } from './access.ts';
import { checkOwned, openTeamRepository } from './grants.ts';
import type { OrganizationTeam, TeamPrivacy } from './model.ts';
import { recordTeamMember, recordTeamRepository } from './record-team.ts';
import {
  findTeamByNumber,
  findTeamBySlug,
  hasChildTeams,
  isTeamNameTaken,
  listWithAncestors,
} from './store.ts';
import { findTeamRole, saveTeamMember } from './store-members.ts';
import { saveTeamRepository } from './store-repositories.ts';

export interface ParentRequest {
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
