// Prepares issues for replies: with all that they nest, in a number of statements that does not depend on how many there are.
import type { Caller } from '../../kernel/identity/caller.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listLabelsOf } from '../labels/store.ts';
import type { ShownMilestone } from '../milestones/model.ts';
import { listMilestonesById } from '../milestones/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { listPulls } from '../pulls/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { associationOf } from './people/associations.ts';
import type { Issue } from './issue.ts';
import type { ShownIssue } from './model.ts';
import { shownAuthor } from './people/show-authors.ts';
import { listAssociationsIn } from './people/store-associations.ts';
import { listAssigneeIds, listIssueLinks } from './store-links.ts';
import { listIssuesById } from './store.ts';

/** Of one repository, in their order. A parent in another repository is shown to those who see it. */
export async function showIssues(
  db: Db,
  caller: Caller,
  found: FoundRepository,
  issues: readonly Issue[],
): Promise<ShownIssue[]> {
  return await showIssuesOf(db, caller, [found], issues);
}

/** The same for issues of several repositories, which are all given. */
export async function showIssuesOf(
  db: Db,
  caller: Caller,
  found: readonly FoundRepository[],
  issues: readonly Issue[],
): Promise<ShownIssue[]> {
  if (issues.length === 0) return [];
  const ids = issues.map(({ id }) => id);
  const milestoneIds = issues.flatMap(({ milestoneId }) => milestoneId ?? []);
  const pullIds = issues.filter(({ isPull }) => isPull).map(({ id }) => id);
  const [labels, assigneeIds, linksOf, milestones, parents, pulls] = await awaitAll([
    listLabelsOf(db, ids),
    listAssigneeIds(db, ids),
    listIssueLinks(db, ids, viewerFor(caller)),
    listMilestonesById(db, milestoneIds),
    listParents(db, caller, found, issues),
    listPulls(db, pullIds),
  ]);
  const repositories = new Map(found.map(({ repository }) => [repository.number, repository]));
  const authors = issues.flatMap(({ author, repositoryNumber }) =>
    author.id === null ? [] : { repository: repositories.get(repositoryNumber)!, accountId: author.id },
  );
  const [owners, associationsIn] = await awaitAll([
    listOwners(db, [
      ...authors.map(({ accountId }) => accountId),
      ...issues.flatMap(({ closedById }) => closedById ?? []),
      ...[...assigneeIds.values()].flat(),
      ...[...milestones.values()].flatMap(({ creator }) => creator.id ?? []),
    ]),
    listAssociationsIn(db, authors),
  ]);
  return issues.map((issue): ShownIssue => {
    const milestone = issue.milestoneId === null ? undefined : milestones.get(issue.milestoneId);
    const { subIssues, ...dependencies } = linksOf(issue.id);
    const pull = pulls.get(issue.id);
    return {
      issue,
      author: shownAuthor(owners, issue.author),
      association: associationOf(associationsIn(issue.repositoryNumber), issue.author),
      labels: labels.get(issue.id) ?? [],
      assignees: (assigneeIds.get(issue.id) ?? []).flatMap((id) => owners.get(id) ?? []),
      milestone: milestone === undefined ? null : showMilestone(milestone, owners),
      closedBy: issue.closedById === null ? null : (owners.get(issue.closedById) ?? null),
      subIssues,
      dependencies,
      parent: issue.parentId === null ? null : (parents.get(issue.parentId) ?? null),
      ...(pull && { pull: { isDraft: pull.isDraft, mergedAt: pull.mergedAt } }),
    };
  });
}

export function showMilestone(
  milestone: ShownMilestone['milestone'],
  owners: ReadonlyMap<string, RepositoryOwner>,
): ShownMilestone {
  return { milestone, creator: shownAuthor(owners, milestone.creator) };
}

/** By id. */
async function listParents(
  db: Db,
  caller: Caller,
  known: readonly FoundRepository[],
  issues: readonly Issue[],
): Promise<Map<number, { fullName: string; number: number }>> {
  const parentIds = issues.flatMap(({ parentId }) => parentId ?? []);
  if (parentIds.length === 0) return new Map();
  const parents = await listIssuesById(db, parentIds);
  const others = [...parents.values()]
    .map(({ repositoryNumber }) => repositoryNumber)
    .filter((number) => !known.some(({ repository }) => repository.number === number));
  const found = others.length === 0 ? [] : [...(await listRepositoriesByNumber(db, others)).values()];
  const shown = [...(await showRepositories(db, caller, found)), ...known];
  const names = new Map(
    shown.map((one) => [one.repository.number, `${one.owner.login}/${one.repository.name}`]),
  );
  return new Map(
    [...parents].flatMap(([id, { repositoryNumber, number }]) => {
      const fullName = names.get(repositoryNumber);
      return fullName === undefined ? [] : [[id, { fullName, number }] as const];
    }),
  );
}
