// Asks the database whether reviews of a pull request have conversations that nobody has resolved.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** Those whose comments are all pending exist for their authors alone, and do not count. */
export async function hasOpenConversations(db: Db, issueId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from review_threads as thread
    where thread.issue_id = ${issueId} and thread.is_resolved = 0 and exists (
      select 1 from review_comments as comment where comment.thread_id = thread.id and comment.is_pending = 0)
    limit 1`.execute(db);
  return rows.length > 0;
}
