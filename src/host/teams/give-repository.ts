// Gives repositories to teams that a request names by id.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { actsOnAccount } from '../apps/program.ts';
import type { Organization } from '../organizations/model.ts';
import { findOrganizationFor, type OrganizationForAccount } from '../organizations/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { roleOfPermission } from './change.ts';
import type { OrganizationTeam } from './model.ts';
import { recordTeamRepository } from './record-team.ts';
import { listTeamsByNumber } from './store.ts';
import { findTeamRole } from './store-members.ts';
import { saveTeamRepository } from './store-repositories.ts';

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
