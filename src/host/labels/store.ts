// Labels in the database. A deleted one is gone at once; background work takes it from its issues.
import { sql, type Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { Issue } from '../issues/issue.ts';
import type { LabelRow } from '../issues/tables.ts';
import { countBounded, type BoundedTotal } from '../list-query.ts';
import { buildForLists } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { DEFAULT_LABELS, isDefaultLabel } from './default-labels.ts';
import type { Label, LabelFields } from './model.ts';

/** Of issues, by their ids, in the order of their names. */
export async function listLabelsOf(db: Db, issueIds: readonly number[]): Promise<Map<number, Label[]>> {
  const labels = new Map<number, Label[]>();
  for (const row of await selectLabelsOf(db, issueIds)) {
    const own = labels.get(row.issue_id);
    if (own === undefined) labels.set(row.issue_id, [labelFrom(row)]);
    else own.push(labelFrom(row));
  }
  return labels;
}

const selectLabelsOf = buildForLists((db, issueIds: readonly number[]) =>
  db
    .selectFrom('issue_labels')
    .innerJoin('labels', 'labels.id', 'issue_labels.label_id')
    .selectAll('labels')
    .select('issue_labels.issue_id')
    .where('issue_labels.issue_id', 'in', issueIds)
    .orderBy('labels.folded_name'),
);

export interface CountedLabels extends BoundedTotal {
  items: Label[];
}

/** Of a repository, in the order of their names. */
export async function listLabels(db: Db, repositoryNumber: number, slice: Slice): Promise<CountedLabels> {
  const labels = db.selectFrom('labels').where('repository_number', '=', repositoryNumber);
  const [rows, counted] = await Promise.all([
    labels.selectAll().orderBy('folded_name').limit(slice.limit).offset(slice.offset).execute(),
    countBounded(slice, async (atMost) => {
      const some = labels.select('id').limit(atMost).as('some');
      const { total } = await db
        .selectFrom(some)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return total;
    }),
  ]);
  return { items: rows.map(labelFrom), ...counted };
}

/** Of all issues that a milestone has, in the order of their names. Each step of the recursion finds the next label, however many issues have it. */
export async function listMilestoneLabels(db: Db, milestoneId: number): Promise<Label[]> {
  const { rows } = await sql<Selectable<LabelRow>>`
    with recursive used (label_id) as (
      select min(label_id) from issue_labels where milestone_id = ${milestoneId}
      union all
      select (
        select min(issue_labels.label_id) from issue_labels
        where milestone_id = ${milestoneId} and issue_labels.label_id > used.label_id)
      from used where used.label_id is not null)
    select labels.* from used join labels on labels.id = used.label_id order by labels.folded_name`.execute(
    db,
  );
  return rows.map(labelFrom);
}

/** By names, whose case does not count; those that do not exist are missing. */
export async function listLabelsByName(
  db: Db,
  repositoryNumber: number,
  names: readonly string[],
): Promise<Label[]> {
  if (names.length === 0) return [];
  return (await named(db, repositoryNumber, names).execute()).map(labelFrom);
}

/** The same. They are not deleted before the transaction ends. */
export async function shareLockLabels(
  tx: Db,
  repositoryNumber: number,
  names: readonly string[],
): Promise<Label[]> {
  if (names.length === 0) return [];
  return (await named(tx, repositoryNumber, names).orderBy('id').forShare().execute()).map(labelFrom);
}

/** Locks the row until the transaction ends. */
export async function lockLabel(tx: Db, repositoryNumber: number, name: string): Promise<Label | undefined> {
  const row = await named(tx, repositoryNumber, [name]).forUpdate().executeTakeFirst();
  return row && labelFrom(row);
}

function named(db: Db, repositoryNumber: number, names: readonly string[]) {
  return db
    .selectFrom('labels')
    .selectAll()
    .where('repository_number', '=', repositoryNumber)
    .where('folded_name', 'in', names.map(foldCase));
}

/** Returns those that were inserted: others of these names were there already. */
export async function insertLabels(
  tx: Db,
  repositoryNumber: number,
  labels: readonly LabelFields[],
): Promise<Label[]> {
  const values = labels
    .map((label) => ({ repository_number: repositoryNumber, ...rowOf(label) }))
    // In one order, so that two who insert the same ones do not wait for each other.
    .toSorted((one, other) => (one.folded_name < other.folded_name ? -1 : 1));
  const rows = await tx
    .insertInto('labels')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
  return rows.map(labelFrom);
}

export async function insertDefaultLabels(tx: Db, repositoryNumber: number): Promise<void> {
  await insertLabels(tx, repositoryNumber, DEFAULT_LABELS);
}

/** The caller has locked the label. Throws a conflict where another has the name. */
export async function updateLabel(tx: Db, id: number, fields: LabelFields): Promise<Label> {
  const row = await tx
    .updateTable('labels')
    .set(rowOf(fields))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return labelFrom(row);
}

export async function deleteLabel(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('labels').where('id', '=', id).execute();
}

/** Takes a deleted label from some of its issues. Returns whether there may be more. */
export async function deleteSomeLabelLinks(db: Db, labelId: number, limit: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('issue_labels')
    .where('label_id', '=', labelId)
    .where('issue_id', 'in', (eb) =>
      eb
        .selectFrom('issue_labels')
        .select('issue_id')
        .where('label_id', '=', labelId)
        .orderBy('issue_id')
        .limit(sql.lit(limit)),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === limit;
}

function rowOf({ name, color, description }: LabelFields) {
  return {
    name,
    folded_name: foldCase(name),
    color,
    description,
    is_default: Number(isDefaultLabel(name)),
  };
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
  { id: issueId, milestoneId }: Pick<Issue, 'id' | 'milestoneId'>,
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
      .values(added.map(({ id }) => ({ issue_id: issueId, label_id: id, milestone_id: milestoneId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** The issue has another milestone than before, which its labels are found by. */
export async function updateMilestoneOfLabels(
  tx: Db,
  issueIds: readonly number[],
  milestoneId: number | null,
): Promise<void> {
  await tx
    .updateTable('issue_labels')
    .set({ milestone_id: milestoneId })
    .where('issue_id', 'in', issueIds)
    .execute();
}
