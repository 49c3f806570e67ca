// Reads what the events of a page name: accounts, teams and other issues, each with one statement.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { shownAuthor } from '../issues/people/show-authors.ts';
import { listIssuesById } from '../issues/store.ts';
import { listOrganizationsById } from '../organizations/store.ts';
import { listOwners } from '../owners/store.ts';
import { includesRole } from '../repositories/repository.ts';
import { showPlaces } from '../sub-issues/show-linked.ts';
import type { ListedTeam } from '../teams/model.ts';
import { showListedTeams } from '../teams/show.ts';
import { listTeamsByNumber } from '../teams/store.ts';
import { EVENT_MEMBERS, type MemberKind } from './event-details.ts';
import { toIssueReference, type EventSources } from './model.ts';
import type { IssueEvent } from './event-details.ts';

/** `accountIds` are further accounts that the page names. */
export async function readEventSources(
  kernel: Kernel,
  { caller, base }: { caller: Caller; base: string },
  opened: OpenedIssues,
  events: readonly IssueEvent[],
  accountIds: readonly string[] = [],
): Promise<EventSources> {
  const { repository, owner } = opened;
  const ids = [
    ...accountIds,
    ...events.flatMap(({ actor }) => actor.id ?? []),
    ...detailsOf(events, 'account').filter((id) => typeof id === 'string'),
  ];
  const [owners, teams, issueOf] = await Promise.all([
    listOwners(kernel.db, ids),
    readTeams(kernel.db, opened, events, base),
    readIssues(kernel, { caller, base }, events),
  ]);
  return {
    userOf: (author) => shownAuthor(owners, author),
    teamOf: (number) => teams.get(number),
    issueOf,
    fullName: `${owner.login}/${repository.name}`,
    base,
  };
}

/** The members of this kind, as they stand in the rows. */
function detailsOf(events: readonly IssueEvent[], wanted: MemberKind): unknown[] {
  return events.flatMap(({ event, details }) =>
    Object.entries(EVENT_MEMBERS[event] ?? {}).flatMap(([name, kind]) =>
      kind === wanted ? (details[name] ?? []) : [],
    ),
  );
}

/** The names of teams are for those who work in the repository, and those of secret teams for nobody here. */
async function readTeams(
  db: Db,
  { repository, role }: OpenedIssues,
  events: readonly IssueEvent[],
  base: string,
): Promise<Map<number, Static<typeof ListedTeam>>> {
  const numbers = detailsOf(events, 'team').filter((number) => typeof number === 'number');
  if (numbers.length === 0 || !includesRole(role, 'triage')) return new Map();
  const [[organization], found] = await Promise.all([
    listOrganizationsById(db, [repository.ownerId]),
    listTeamsByNumber(db, [...new Set(numbers)]),
  ]);
  const own = [...found.values()].filter(
    ({ organizationId, privacy }) => organizationId === organization?.id && privacy === 'closed',
  );
  if (organization === undefined) return new Map();
  const shown = await showListedTeams(db, organization, own, base);
  return new Map(shown.map((team) => [team.id, team]));
}

async function readIssues(
  kernel: Kernel,
  { caller, base }: { caller: Caller; base: string },
  events: readonly IssueEvent[],
): Promise<EventSources['issueOf']> {
  const ids = events.flatMap(({ event, subjectId }) =>
    subjectId !== null && Object.values(EVENT_MEMBERS[event] ?? {}).includes('issue') ? subjectId : [],
  );
  const issues = await listIssuesById(kernel.db, ids);
  const places = await showPlaces(kernel.db, caller, [...issues.values()]);
  return (id) => {
    const issue = issues.get(id);
    const place = issue && places.get(issue.repositoryNumber);
    return place && toIssueReference(issue, place, base);
  };
}
