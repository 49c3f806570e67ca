// Prepares pull requests for replies and payloads: with all that they nest, in a number of statements that does not depend on how many there are.
import { anonymousAt, type Caller } from '../../kernel/identity/caller.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import { showIssues } from '../issues/show-issues.ts';
import { findOrganization } from '../organizations/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { ShownRepository } from '../repositories/model.ts';
import type { Repository } from '../repositories/repository.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { listTeamsByNumber } from '../teams/store.ts';
import type { RequestedTeam, ShownPull } from './model.ts';
import { UNCHECKED, type Pull } from './pull.ts';
import { listPulls, listReviewRequests, type ReviewRequest } from './store.ts';

/** Who looks at them. Payloads go to whoever has a hook of the base repository, and name the head for them. */
export type PullViewer = Caller | 'receiver';

/** Of one base repository, in the order of the issues. */
export async function showPulls(
  db: Db,
  viewer: PullViewer,
  found: FoundRepository,
  issues: readonly Issue[],
): Promise<ShownPull[]> {
  if (issues.length === 0) return [];
  const ids = issues.map(({ id }) => id);
  const caller = viewer === 'receiver' ? anonymousAt('') : viewer;
  const [shown, pulls, requests] = await awaitAll([
    showIssues(db, caller, found, issues),
    listPulls(db, ids),
    listReviewRequests(db, ids),
  ]);
  const all = [...pulls.values()];
  const [owners, repositories, teams] = await awaitAll([
    listOwners(db, accountsOf(all, requests)),
    listSides(db, viewer, found, all),
    listRequestedTeams(db, found, requests),
  ]);
  const own = repositories.get(found.repository.number) ?? { ...found, role: undefined };
  return shown.flatMap((one) => {
    const pull = pulls.get(one.issue.id);
    if (pull === undefined) return [];
    const { headRepositoryNumber: head, headOwnerId: ownerId, mergedById } = pull;
    const repository = head === null ? undefined : repositories.get(head);
    const asked = requests.filter(({ issueId }) => issueId === pull.issueId);
    return {
      shown: one,
      // Payloads are read later, when other commits may be there.
      pull: viewer === 'receiver' ? { ...pull, ...UNCHECKED } : pull,
      base: own,
      head: {
        repository: repository ?? null,
        owner: repository?.owner ?? ownerIn(owners, ownerId),
      },
      mergedBy: ownerIn(owners, mergedById),
      reviewers: asked.flatMap(({ kind, reviewer }) => (kind === 'user' ? (owners.get(reviewer) ?? []) : [])),
      teams: asked.flatMap(({ kind, reviewer }) => (kind === 'team' ? (teams.get(reviewer) ?? []) : [])),
    };
  });
}

function ownerIn(owners: ReadonlyMap<string, RepositoryOwner>, id: string | null): RepositoryOwner | null {
  return id === null ? null : (owners.get(id) ?? null);
}

function accountsOf(pulls: readonly Pull[], requests: readonly ReviewRequest[]): string[] {
  return [
    ...pulls.flatMap(({ headOwnerId, mergedById }) => [headOwnerId, mergedById]),
    ...requests.map(({ kind, reviewer }) => (kind === 'user' ? reviewer : null)),
  ].filter((id) => id !== null);
}

/** The repositories of both sides that the viewer may see, by number. */
async function listSides(
  db: Db,
  viewer: PullViewer,
  { repository }: FoundRepository,
  pulls: readonly Pull[],
): Promise<Map<number, ShownRepository>> {
  const numbers = new Set(pulls.flatMap(({ headRepositoryNumber: number }) => number ?? []));
  numbers.delete(repository.number);
  const heads = await listRepositoriesByNumber(db, [...numbers]);
  const sides = [repository, ...heads.values()];
  const shown =
    viewer === 'receiver' ? await withOwners(db, sides) : await showRepositories(db, viewer, sides);
  return new Map(shown.map((one) => [one.repository.number, one]));
}

async function withOwners(db: Db, repositories: readonly Repository[]): Promise<ShownRepository[]> {
  const owners = await listOwners(
    db,
    repositories.map(({ ownerId }) => ownerId),
  );
  return repositories.flatMap((repository) => {
    const owner = owners.get(repository.ownerId);
    return owner === undefined ? [] : { repository, owner, role: undefined };
  });
}

/** By number, as text. Teams are those of the organization that owns the base repository. */
export async function listRequestedTeams(
  db: Db,
  { owner }: FoundRepository,
  requests: readonly Pick<ReviewRequest, 'kind' | 'reviewer'>[],
): Promise<Map<string, RequestedTeam>> {
  const numbers = requests.flatMap(({ kind, reviewer }) => (kind === 'team' ? [Number(reviewer)] : []));
  const organization = numbers.length === 0 ? undefined : await findOrganization(db, { id: owner.id });
  if (organization === undefined) return new Map();
  const teams = await listTeamsByNumber(db, [...new Set(numbers)]);
  const parents = await listTeamsByNumber(
    db,
    [...teams.values()].flatMap(({ parentNumber }) => parentNumber ?? []),
  );
  // A transfer leaves the teams of the owner before behind.
  const own = [...teams.values()].filter(({ organizationId }) => organizationId === organization.id);
  return new Map(
    own.map((team) => {
      const parent = team.parentNumber === null ? undefined : parents.get(team.parentNumber);
      return [String(team.number), { team: { ...team, parent: parent ?? null }, organization }];
    }),
  );
}
