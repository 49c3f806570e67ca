// The lists that an issue is in, each named by a text. Filters of lists are such names too, so that a list reads one index and no more. ADR 0133.
import type { Issue } from '../issue.ts';

/** In a repository. */
export const inRepository = (number: number) => `R${number}`;
export const pullsIn = (number: number) => `R${number}/pulls`;
export const authoredIn = (number: number, accountId: string) => `R${number}/author/${accountId}`;
/** `*` for any assignee, `none` for none. */
export const assignedIn = (number: number, accountId: string) => `R${number}/assignee/${accountId}`;
export const mentioningIn = (number: number, accountId: string) => `R${number}/mention/${accountId}`;
/** `*` for any milestone, `none` for none. */
export const milestonedIn = (number: number, which: '*' | 'none') => `R${number}/milestone/${which}`;
/** Pull requests into a branch, and from a branch of an owner. */
export const intoBranchIn = (number: number, ref: string) => `R${number}/base/${ref}`;
export const fromBranchIn = (number: number, ownerId: string, ref: string) =>
  `R${number}/head/${ownerId}:${ref}`;
export const withMilestone = (id: number) => `milestone/${id}`;
export const withLabel = (id: number) => `label/${id}`;

/** In all repositories. That of the owner is written when an issue is created, and follows a transfer of its repository soon. */
export const ownedBy = (ownerId: string) => `owner/${ownerId}`;
export const authoredBy = (accountId: string) => `author/${accountId}`;
export const assignedTo = (accountId: string) => `assignee/${accountId}`;
export const mentioning = (accountId: string) => `mention/${accountId}`;
export const subscribedBy = (accountId: string) => `subscriber/${accountId}`;
/** Every pull request. */
export const PULLS = 'pulls';

export interface FacetedIssue {
  issue: Pick<Issue, 'repositoryNumber' | 'isPull' | 'author' | 'milestoneId'>;
  labelIds: readonly number[];
  assigneeIds: readonly string[];
}

/** Those that follow from the issue itself. Mentions and subscriptions are added as they happen, and stay. */
export function facetsOf({ issue, labelIds, assigneeIds }: FacetedIssue): string[] {
  const { repositoryNumber: number, isPull, author, milestoneId } = issue;
  return [
    inRepository(number),
    ...(isPull ? [pullsIn(number), PULLS] : []),
    ...(author.id === null ? [] : [authoredIn(number, author.id), authoredBy(author.id)]),
    ...(assigneeIds.length === 0 ? [assignedIn(number, 'none')] : [assignedIn(number, '*')]),
    ...assigneeIds.flatMap((id) => [assignedIn(number, id), assignedTo(id)]),
    ...labelIds.map(withLabel),
    ...(milestoneId === null
      ? [milestonedIn(number, 'none')]
      : [milestonedIn(number, '*'), withMilestone(milestoneId)]),
  ];
}

/** Whether `facetsOf` says of it: others are kept when an issue changes. */
export function isDerived(facet: string): boolean {
  return !/^(?:R\d+\/)?(?:mention|subscriber|owner|base|head|merged)\//.test(facet);
}
