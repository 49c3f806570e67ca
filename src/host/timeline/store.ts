// What has happened to issues, in the database: the rows of their timelines.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';

/** What happened. Its words are those of the specification, such as `labeled`. */
export interface NewIssueEvent {
  event: string;
  /** Whether lists of events show it, which is so unless it is false. The timeline shows all. */
  isListed?: false;
  actorId: string | null;
  /** Of an actor without an account, of what was imported. */
  actorName?: string;
  commitId?: string;
  /** The comment or review that it stands for. */
  subjectId?: number;
  /** Further members, such as `label` or `rename`: JSON, with accounts by their ids. */
  details?: Record<string, unknown>;
}

/** In this order, in the transaction of the change. */
export async function insertIssueEvents(
  tx: Db,
  { id, repositoryNumber }: Pick<Issue, 'id' | 'repositoryNumber'>,
  events: readonly NewIssueEvent[],
  at: number,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((one) => ({
    issue_id: id,
    repository_number: repositoryNumber,
    event: one.event,
    is_listed: one.isListed === false ? 0 : 1,
    actor_id: one.actorId,
    actor_name: one.actorName ?? null,
    commit_id: one.commitId ?? null,
    subject_id: one.subjectId ?? null,
    details: JSON.stringify(one.details ?? {}),
    created_at: at,
  }));
  await tx.insertInto('issue_events').values(rows).execute();
}

/** Of a comment or review that is deleted. */
export async function deleteIssueEvent(
  tx: Db,
  issueId: number,
  { event, subjectId }: { event: string; subjectId: number },
): Promise<void> {
  await tx
    .deleteFrom('issue_events')
    .where('issue_id', '=', issueId)
    .where('event', '=', event)
    .where('subject_id', '=', subjectId)
    .execute();
}

/** The same happened to many issues of a repository. */
export async function insertEventOfIssues(
  tx: Db,
  { repositoryNumber, issueIds }: { repositoryNumber: number; issueIds: readonly number[] },
  { event, actorId, details = {} }: Pick<NewIssueEvent, 'event' | 'actorId' | 'details'>,
  at: number,
): Promise<void> {
  const shared = { repository_number: repositoryNumber, event, is_listed: 1, actor_id: actorId };
  const text = JSON.stringify(details);
  for (const some of chunk(issueIds)) {
    const rows = some.map((id) => ({ ...shared, issue_id: id, details: text, created_at: at }));
    await tx.insertInto('issue_events').values(rows).execute();
  }
}
