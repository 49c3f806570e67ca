// Statuses of commits in the database.
import type { Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { CommitStatus, StatusState } from './model.ts';
import type { CommitStatusRow } from './tables.ts';

/** A commit of a repository. */
export interface StatusTarget {
  repository: number;
  sha: string;
}

const MAX_PER_CONTEXT = 1000;

/** Undefined where the commit has as many of this context as it may have. */
export async function insertStatus(
  tx: Db,
  { repository, sha }: StatusTarget,
  status: Pick<CommitStatus, 'context' | 'state' | 'description' | 'targetUrl' | 'creatorId'>,
  now: number,
): Promise<CommitStatus | undefined> {
  const { context, state, description, targetUrl, creatorId } = status;
  await lockName(tx, `commit-statuses:${repository}:${sha}`);
  const last = await tx
    .selectFrom('commit_statuses')
    .select('number')
    .where('repository_number', '=', repository)
    .where('sha', '=', sha)
    .where('context', '=', context)
    .orderBy('number')
    .limit(1)
    .offset(MAX_PER_CONTEXT - 1)
    .executeTakeFirst();
  if (last !== undefined) return undefined;
  const row = await tx
    .insertInto('commit_statuses')
    .values({
      repository_number: repository,
      sha,
      context,
      state,
      description,
      target_url: targetUrl,
      creator_id: creatorId,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return statusFrom(row);
}

/** The newest first. */
export async function listStatuses(
  db: Db,
  { repository, sha }: StatusTarget,
  { offset, limit }: Slice,
): Promise<CommitStatus[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .selectAll()
    .where('repository_number', '=', repository)
    .where('sha', '=', sha)
    .orderBy('number', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(statusFrom);
}

/** The newest of each context: a page of them, the newest first, and how many there are by state. */
export async function listNewestStatuses(
  db: Db,
  target: StatusTarget,
  { offset, limit }: Slice,
): Promise<{ items: CommitStatus[]; counts: Map<StatusState, number> }> {
  const newest = db
    .selectFrom('commit_statuses')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('repository_number', '=', target.repository)
    .where('sha', '=', target.sha)
    .groupBy('context');
  const [rows, states] = await Promise.all([
    db
      .selectFrom('commit_statuses')
      .selectAll()
      .where('number', 'in', newest)
      .orderBy('number', 'desc')
      .limit(limit)
      .offset(offset)
      .execute(),
    db
      .selectFrom('commit_statuses')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .where('number', 'in', newest)
      .groupBy('state')
      .execute(),
  ]);
  return {
    items: rows.map(statusFrom),
    counts: new Map(states.map(({ state, count }) => [state as StatusState, count])),
  };
}

/** Whether the newest of a context is another than success. */
export async function hasUnsuccessfulStatus(db: Db, target: StatusTarget): Promise<boolean> {
  const newest = db
    .selectFrom('commit_statuses')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('repository_number', '=', target.repository)
    .where('sha', '=', target.sha)
    .groupBy('context');
  const row = await db
    .selectFrom('commit_statuses')
    .select('number')
    .where('number', 'in', newest)
    .where('state', '<>', 'success')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function statusFrom(row: Selectable<CommitStatusRow>): CommitStatus {
  return {
    number: row.number,
    sha: row.sha,
    context: row.context,
    state: row.state as StatusState,
    description: row.description,
    targetUrl: row.target_url,
    creatorId: row.creator_id,
    createdAt: row.created_at,
  };
}
