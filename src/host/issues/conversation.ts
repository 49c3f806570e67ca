// What changes of comments and reviews have in common: they are made under the lock of the issue, move its time, and are audited where they are somebody else's.
import { actorIdOf, type ChangeTransaction } from '../../kernel/change/changes.ts';
import { entryOwnerOf, type FoundRepository } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { issueNotFound, requireOpenConversation, type OpenedIssues } from './access.ts';
import type { Author, Issue } from './issue.ts';
import { lockIssue, updateIssue, type IssueUpdate } from './store.ts';

/** So that counts are true, and so is that the conversation was not locked meanwhile. */
export async function lockConversation(
  { db }: ChangeTransaction,
  { role }: Pick<OpenedIssues, 'role'>,
  issueId: number,
): Promise<Issue> {
  const issue = await lockIssue(db, issueId);
  if (issue === undefined) throw issueNotFound();
  requireOpenConversation({ issue, role });
  return issue;
}

/** The caller has locked the issue. */
export async function touchIssue(
  tx: ChangeTransaction,
  issue: Issue,
  update: Omit<IssueUpdate, 'updatedAt'> = {},
): Promise<Issue> {
  return await updateIssue(tx.db, issue, { ...update, updatedAt: updateTimeOf(tx, issue) });
}

/** Of calls at the same time, one that began earlier may come later. */
export function updateTimeOf({ actor }: ChangeTransaction, { updatedAt }: { updatedAt: number }): number {
  return Math.max(actor.now, updatedAt);
}

interface ChangedText {
  /** The permission that the change needs. */
  action: string;
  author: Author;
  /** With the pull request or issue: `changed a comment of somebody else on issue 7 of`. */
  verb: string;
  before: Record<string, unknown>;
}

/** Such texts are data, as stars are, and not in the audit log; but their authors may ask who has changed or removed them. */
export function auditChangeByAnother(
  tx: ChangeTransaction,
  found: FoundRepository,
  { action, author, verb, before }: ChangedText,
): void {
  if (actorIdOf(tx) === author.id) return;
  tx.record({
    accesses: [{ action, resource: repositoryResource(found) }],
    kind: 'repository',
    name: found.repository.name,
    verb,
    ...entryOwnerOf(found),
    before: { ...before, author: author.id ?? author.name },
  });
}
