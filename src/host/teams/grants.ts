// The roles of teams on repositories: which a request asks for, and which one a team has.
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { findOwner } from '../owners/store.ts';
import { repositoryNotFound, repositoryResource, type FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import {
  includesRole,
  isRepositoryName,
  parseRole,
  type RepositoryRole,
} from '../repositories/repository.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { listRepositoryRoles } from '../repository-roles/store.ts';
import type { TeamCall } from './access.ts';
import { listTeamGrants } from './store-repositories.ts';

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
  if (role === undefined || (repository.isPrivate && !call.can(resource, 'viewRepository')))
    throw repositoryNotFound();
  if (needed === 'admin' && !(includesRole(role, 'admin') && call.can(resource, 'updateRepository')))
    throw new Failure('denied', 'You must have admin rights to the repository.');
  return found;
}

/** The strongest role, by the repository's number, and the name by which it was granted. */
export interface TeamRepositoryRole {
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
