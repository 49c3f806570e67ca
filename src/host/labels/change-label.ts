// Creates, changes and deletes labels, with their webhooks, in one transaction; and finds those that a call names for an issue.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
import type { OpenedIssues } from '../issues/access.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { includesRole } from '../repositories/repository.ts';
import { REMOVE_LABEL } from './label-work.ts';
import type { Label, LabelFields } from './model.ts';
import { PLAIN_COLOR } from './requests.ts';
import { deleteLabel, insertLabels, lockLabel, shareLockLabels, updateLabel } from './store.ts';

export async function createLabel(
  tx: ChangeTransaction,
  found: FoundRepository,
  fields: LabelFields,
): Promise<Label> {
  const [label] = await insertLabels(tx.db, found.repository.number, [fields]);
  if (label === undefined) throw labelExists('name');
  await recordCreated(tx, found, [label]);
  return label;
}

/** Absent fields stay. Issues keep the label under its new name; their timelines have the one from then. */
export async function changeLabel(
  tx: ChangeTransaction,
  found: FoundRepository,
  name: string,
  update: Partial<LabelFields>,
): Promise<Label> {
  const before = await lockLabel(tx.db, found.repository.number, name);
  if (before === undefined) throw labelNotFound();
  const { color, description } = before;
  const fields: LabelFields = { name: before.name, color, description, ...update };
  const changes = {
    ...(fields.name !== before.name && { name: { from: before.name } }),
    ...(fields.color !== color && { color: { from: color } }),
    ...(fields.description !== description && { description: { from: description ?? '' } }),
  };
  if (Object.keys(changes).length === 0) return before;
  const label = await updateUnlessTaken(tx, before, fields);
  const details = { label, changes } satisfies EventDetails['label.edited'];
  await recordLabelEvents(tx, found, [{ name: 'label', action: 'edited', details }]);
  return label;
}

async function updateUnlessTaken({ db }: ChangeTransaction, { id }: Label, fields: LabelFields) {
  try {
    return await updateLabel(db, id, fields);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') throw labelExists('new_name');
    throw error;
  }
}

/** Nobody sees it any more, also on issues: what is left of it there is removed later. */
export async function removeLabel(
  tx: ChangeTransaction,
  found: FoundRepository,
  name: string,
): Promise<void> {
  const { db, actor } = tx;
  const label = await lockLabel(db, found.repository.number, name);
  if (label === undefined) throw labelNotFound();
  await deleteLabel(db, label.id);
  const work = { id: `${REMOVE_LABEL}:${label.id}`, kind: REMOVE_LABEL, payload: String(label.id) };
  await schedule(db, { ...work, dueAt: actor.now }, actor.now);
  const details = { label } satisfies EventDetails['label.deleted'];
  await recordLabelEvents(tx, found, [{ name: 'label', action: 'deleted', details }]);
}

/**
 * The labels of these names, in their order. Those that do not exist are created, which needs the role `write`. The caller has locked
 * what it puts them on, and the repository, if it expects that labels are created: both are locked before labels everywhere.
 */
export async function findOrCreateLabels(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  names: readonly string[],
): Promise<Label[]> {
  const { number } = opened.repository;
  const wanted = new Map(names.map((name) => [foldCase(name), name]));
  const found = await shareLockLabels(tx.db, number, [...wanted.values()]);
  const labels = new Map(found.map((label) => [foldCase(label.name), label]));
  const missing = [...wanted].filter(([folded]) => !labels.has(folded)).map(([, name]) => name);
  if (missing.length > 0) {
    if (!includesRole(opened.role, 'write'))
      throw new Failure('denied', 'You must have write rights to the repository to create labels.');
    const created = await insertLabels(
      tx.db,
      number,
      missing.map((name) => ({ name, color: PLAIN_COLOR, description: null })),
    );
    await recordCreated(tx, opened, created);
    // Others may have created some of them meanwhile.
    const others = await shareLockLabels(tx.db, number, missing);
    for (const label of [...created, ...others]) labels.set(foldCase(label.name), label);
  }
  return [...wanted.keys()].flatMap((folded) => labels.get(folded) ?? []);
}

async function recordCreated(
  tx: ChangeTransaction,
  found: FoundRepository,
  labels: readonly Label[],
): Promise<void> {
  const events = labels.map((label): HostEvent => {
    const details = { label } satisfies EventDetails['label.created'];
    return { name: 'label', action: 'created', details };
  });
  await recordLabelEvents(tx, found, events);
}

/** What a call has opened has members more, which are no part of an event. */
async function recordLabelEvents(
  tx: ChangeTransaction,
  { repository, owner }: FoundRepository,
  events: readonly HostEvent[],
): Promise<void> {
  await recordEvents(tx, events, { found: { repository, owner } });
}

function labelExists(field: string): Failure {
  return new Failure('invalid', 'There is a label of that name already.', {
    code: 'already_exists',
    fields: [{ field, message: 'already exists' }],
  });
}

export function labelNotFound(): Failure {
  return new Failure('not-found', 'There is no such label');
}
