// The members of the payloads of pull requests.
import { toLabel, type Label } from '../../labels/model.ts';
import { toMilestone, type ShownMilestone } from '../../milestones/model.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import { toPull, type ShownPull } from '../../pulls/model.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import type { ShownRepository } from '../../repositories/model.ts';
import { repositoryInPayload, teamInPayload, userInPayload, type PayloadObject } from './shared-members.ts';

interface PullDetails {
  pull: ShownPull;
  label?: Label;
  assignee?: RepositoryOwner;
  milestone?: ShownMilestone;
  changes?: { body?: { from: string | null } };
}

export function pullMembers(
  details: PayloadObject,
  { repository, owner }: FoundRepository,
  base: string,
): PayloadObject {
  const { pull, label, assignee, milestone, changes, ...others } = details as unknown as PullDetails;
  const fullName = `${owner.login}/${repository.name}`;
  return {
    ...others,
    number: pull.shown.issue.number,
    pull_request: pullInPayload(pull, base),
    ...(label && { label: toLabel(label, `${base}/repos/${fullName}`) }),
    ...(assignee && { assignee: userInPayload(assignee, base) }),
    ...(milestone && { milestone: toMilestone(milestone, fullName, base) }),
    ...(changes && { changes: withTexts(changes) }),
  };
}

/** Receivers expect a text where there was none. */
function withTexts(changes: NonNullable<PullDetails['changes']>): PayloadObject {
  return { ...changes, ...(changes.body && { body: { from: changes.body.from ?? '' } }) };
}

/** Repositories and teams have the shape of payloads. */
function pullInPayload(pull: ShownPull, base: string): PayloadObject {
  const { head, base: into, ...shown } = toPull(pull, base, { body: pull.shown.issue.body });
  const repo = (one: ShownRepository | null) => (one === null ? null : repositoryInPayload(one, base));
  return {
    ...shown,
    head: { ...head, repo: repo(pull.head.repository) },
    base: { ...into, repo: repo(pull.base) },
    requested_teams: pull.teams.map(({ team, organization }) => teamInPayload(team, organization, base)),
  };
}
