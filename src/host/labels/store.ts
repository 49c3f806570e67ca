// Labels in the database.
import type { Selectable } from 'kysely';
import type { LabelRow } from '../issues/tables.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Label } from './model.ts';

/** Of issues, by their ids, in the order of their names. */
export async function listLabelsOf(db: Db, issueIds: readonly number[]): Promise<Map<number, Label[]>> {
  const labels = new Map<number, Label[]>();
  if (issueIds.length === 0) return labels;
  const rows = await db
    .selectFrom('issue_labels')
    .innerJoin('labels', 'labels.id', 'issue_labels.label_id')
    .selectAll('labels')
    .select('issue_labels.issue_id')
    .where('issue_labels.issue_id', 'in', issueIds)
    .orderBy('labels.folded_name')
    .execute();
  for (const row of rows) {
    const own = labels.get(row.issue_id);
    if (own === undefined) labels.set(row.issue_id, [labelFrom(row)]);
    else own.push(labelFrom(row));
  }
  return labels;
}

export function labelFrom(row: Selectable<LabelRow>): Label {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    description: row.description,
    isDefault: row.is_default === 1,
  };
}

/** The difference alone is written, so that two who add labels at once keep both. */
export async function replaceIssueLabels(
  tx: Db,
  issueId: number,
  { added, removed }: { added: readonly Label[]; removed: readonly Label[] },
): Promise<void> {
  if (removed.length > 0) {
    const ids = removed.map(({ id }) => id);
    await tx
      .deleteFrom('issue_labels')
      .where('issue_id', '=', issueId)
      .where('label_id', 'in', ids)
      .execute();
  }
  if (added.length > 0)
    await tx
      .insertInto('issue_labels')
      .values(added.map(({ id }) => ({ issue_id: issueId, label_id: id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}
