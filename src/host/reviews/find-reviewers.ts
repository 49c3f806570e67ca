// Finds the users and teams that a request for reviews names: those who have a role on the repository, and never the author.
import { Failure } from '../../kernel/failure.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listGrantsOf } from '../collaborators/store.ts';
import { sharedRepository } from '../issues/people/assignees.ts';
import { invalidField } from '../issues/requests.ts';
import { findUser } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listTeamGrants } from '../teams/store-repositories.ts';
import { findTeamBySlug, listWithAncestors } from '../teams/store.ts';
import { MAX_REQUESTED, type Reviewer } from './review.ts';

export interface NamedReviewers {
  logins: readonly string[];
  /** Of teams. */
  slugs: readonly string[];
}

/** Throws unless all of them can be asked. */
export async function findReviewers(
  db: Db,
  found: FoundRepository,
  issue: { author: { id: string | null } },
  named: NamedReviewers,
): Promise<Reviewer[]> {
  const { users, teams } = await findNamed(db, found, named);
  if (users.some((id) => id !== undefined && id === issue.author.id)) throw authorRequested();
  const accountIds = users.flatMap((id) => id ?? []);
  const numbers = teams.flatMap((number) => number ?? []);
  const grants = await listGrantsOf(db, sharedRepository(found), accountIds);
  const areUsers = users.every((id) => id !== undefined && grants.has(id));
  const areTeams = numbers.length === teams.length && (await haveAllRoles(db, found, numbers));
  if (!areUsers || !areTeams) throw notCollaborators(found);
  return reviewersOf(accountIds, numbers);
}

/** Those of the names that somebody has. */
export async function findKnownReviewers(
  db: Db,
  found: FoundRepository,
  named: NamedReviewers,
): Promise<Reviewer[]> {
  const { users, teams } = await findNamed(db, found, named);
  return reviewersOf(
    users.flatMap((id) => id ?? []),
    teams.flatMap((number) => number ?? []),
  );
}

function reviewersOf(accountIds: readonly string[], teamNumbers: readonly number[]): Reviewer[] {
  return [
    ...accountIds.map((reviewer) => ({ kind: 'user' as const, reviewer })),
    ...teamNumbers.map((number) => ({ kind: 'team' as const, reviewer: String(number) })),
  ];
}

async function findNamed(
  db: Db,
  { owner }: FoundRepository,
  { logins, slugs }: NamedReviewers,
): Promise<{ users: (string | undefined)[]; teams: (number | undefined)[] }> {
  const distinctLogins = withoutCase(logins);
  const distinctSlugs = withoutCase(slugs);
  if (distinctLogins.length + distinctSlugs.length > MAX_REQUESTED) throw tooManyReviewers();
  const users = await awaitAll(distinctLogins.map(async (login) => (await findUser(db, login))?.id));
  const teams = await awaitAll(distinctSlugs.map((slug) => findTeam(db, owner, slug)));
  return { users, teams };
}

function withoutCase(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

/** A secret team is nobody for those who ask. */
async function findTeam(db: Db, owner: FoundRepository['owner'], slug: string): Promise<number | undefined> {
  if (owner.type !== 'Organization') return undefined;
  const team = await findTeamBySlug(db, owner.id, slug);
  return team?.privacy === 'closed' ? team.number : undefined;
}

/** What a team is granted, its children have. */
async function haveAllRoles(
  db: Db,
  { repository }: FoundRepository,
  teamNumbers: readonly number[],
): Promise<boolean> {
  for (const number of teamNumbers) {
    const grants = await listTeamGrants(db, await listWithAncestors(db, number), [repository.number]);
    if (grants.length === 0) return false;
  }
  return true;
}

/** The words that clients compare. */
function authorRequested(): Failure {
  return new Failure('invalid', 'Review cannot be requested from pull request author.');
}

function notCollaborators({ repository, owner }: FoundRepository): Failure {
  return new Failure(
    'invalid',
    `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${owner.login}/${repository.name} repository.`,
  );
}

export function tooManyReviewers(): Failure {
  return invalidField('reviewers', `has too many (maximum is ${MAX_REQUESTED})`, 'custom');
}
