// What has happened to issues, in the database: the rows of their timelines.
import { chunk } from '../../kernel/collections/chunk.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import type { IssueEventRow } from '../issues/tables.ts';
import { countBounded, type BoundedTotal } from '../list-query.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import { EVENTS_ABOUT_ISSUES, type IssueEvent } from './event-details.ts';

/** What happened. Its words are those of the specification, such as `labeled`. */
export interface NewIssueEvent {
  event: string;
  /** Whether lists of events show it, which is so unless it is false. The timeline shows all. */
  isListed?: false;
  actorId: string | null;
  /** Of an actor without an account, of what was imported. */
  actorName?: string;
  commitId?: string;
  /** The comment, review, thread or issue that it is about: `event-details.ts` says which. */
  subjectId?: number;
  /** Further members, such as `label` or `rename`: `event-details.ts` has them all. */
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

export interface EventPage extends BoundedTotal {
  items: IssueEvent[];
}

/** All that happened to an issue, the oldest first. */
export async function listTimeline(
  db: Db,
  issueId: number,
  viewer: Viewer,
  slice: Slice,
): Promise<EventPage> {
  const where = sql`issue_id = ${issueId} and ${shownTo(viewer)}`;
  return await listEvents(db, where, sql`created_at, id`, slice);
}

/** The events of an issue, the oldest first. */
export async function listEventsOfIssue(
  db: Db,
  issueId: number,
  viewer: Viewer,
  slice: Slice,
): Promise<EventPage> {
  const where = sql`issue_id = ${issueId} and is_listed = 1 and ${shownTo(viewer)}`;
  return await listEvents(db, where, sql`id`, slice);
}

/** Whose events are asked for: all, or those of pull requests alone. */
export type EventScope = 'all' | 'pulls';

/** The events of all issues and pull requests of a repository, the newest first. */
export async function listEventsOfRepository(
  db: Db,
  repositoryNumber: number,
  { viewer, scope }: { viewer: Viewer; scope: EventScope },
  slice: Slice,
): Promise<EventPage> {
  const where = sql`repository_number = ${repositoryNumber} and is_listed = 1
    and ${shownTo(viewer)} and ${within(scope)}`;
  return await listEvents(db, where, sql`id desc`, slice);
}

export async function findEvent(
  db: Db,
  repositoryNumber: number,
  id: number,
  { viewer, scope }: { viewer: Viewer; scope: EventScope },
): Promise<IssueEvent | undefined> {
  const { rows } = await sql<Selectable<IssueEventRow>>`
    select * from issue_events
    where id = ${id} and repository_number = ${repositoryNumber} and is_listed = 1
      and ${shownTo(viewer)} and ${within(scope)}`.execute(db);
  return rows[0] && eventFrom(rows[0]);
}

/** What another repository's issue has to do with this one is shown to those who see that issue, in counts too. */
function shownTo(viewer: Viewer): RawBuilder<boolean> {
  return sql`(event not in (${sql.join(EVENTS_ABOUT_ISSUES)}) or exists (
    select 1 from issues as other
    join repositories on repositories.number = other.repository_number
    where other.id = issue_events.subject_id
      and (other.repository_number = issue_events.repository_number or (${visibleTo(viewer)}))))`;
}

function within(scope: EventScope): RawBuilder<boolean> {
  if (scope === 'all') return sql`1 = 1`;
  return sql`exists (select 1 from issues where issues.id = issue_events.issue_id and issues.is_pull = 1)`;
}

async function listEvents(
  db: Db,
  where: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  slice: Slice,
): Promise<EventPage> {
  const { offset, limit } = slice;
  const [page, counted] = await Promise.all([
    sql<Selectable<IssueEventRow>>`
      select * from issue_events where ${where} order by ${order} limit ${limit} offset ${offset}`.execute(
      db,
    ),
    countBounded(slice, async (atMost) => {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from (
          select 1 as one from issue_events where ${where} limit ${atMost}) as listed`.execute(db);
      return rows[0]!.total;
    }),
  ]);
  return { items: page.rows.map(eventFrom), ...counted };
}

function eventFrom(row: Selectable<IssueEventRow>): IssueEvent {
  return {
    id: row.id,
    issueId: row.issue_id,
    event: row.event,
    actor: { id: row.actor_id, name: row.actor_name },
    commitId: row.commit_id,
    subjectId: row.subject_id,
    details: JSON.parse(row.details) as Record<string, unknown>,
    createdAt: row.created_at,
  };
}

/** Whether it has happened to the issue, at any time. */
export async function hasIssueEvent(db: Db, issueId: number, event: string): Promise<boolean> {
  const row = await db
    .selectFrom('issue_events')
    .select('id')
    .where('issue_id', '=', issueId)
    .where('event', '=', event)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
