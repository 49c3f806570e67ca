// Creates, changes and deletes milestones, with their webhooks, in one transaction. All lock the repository first, as changes of issues do.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
import { UPDATE_ISSUE } from '../issues/access.ts';
import { showMilestone } from '../issues/show-issues.ts';
import { listOwners } from '../owners/store.ts';
import { repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { repositoryChange } from '../repositories/changes/change-repository.ts';
import { lockRepository } from '../repositories/store.ts';
import { isoSeconds } from '../times.ts';
import { demilestoneSome, REMOVE_MILESTONE, type MilestoneRemoval } from './milestone-work.ts';
import type { Milestone, ShownMilestone } from './model.ts';
import type { MilestoneEdit } from './requests.ts';
import {
  deleteMilestone,
  findMilestone,
  hasMilestoneTitled,
  insertMilestone,
  updateMilestone,
  type NewMilestone,
} from './store.ts';

export async function createMilestone(
  tx: ChangeTransaction,
  found: FoundRepository,
  fields: Omit<NewMilestone, 'repositoryNumber'>,
): Promise<ShownMilestone> {
  const { number } = found.repository;
  await lock(tx, found);
  const milestone = await insertMilestone(tx.db, { ...fields, repositoryNumber: number }, tx.actor.now);
  if (milestone === undefined) throw milestoneExists();
  const shown = await show(tx, milestone);
  const details = { milestone: shown } satisfies EventDetails['milestone.created'];
  await record(tx, found, [{ name: 'milestone', action: 'created', details }]);
  return shown;
}

export async function changeMilestone(
  tx: ChangeTransaction,
  found: FoundRepository,
  number: number,
  edit: MilestoneEdit,
): Promise<ShownMilestone> {
  const { now } = tx.actor;
  const before = await lockMilestone(tx, found, number);
  const after: Milestone = { ...before, ...edit, updatedAt: now };
  const isMoved = after.state !== before.state;
  if (isMoved) after.closedAt = after.state === 'closed' ? now : null;
  const changes = changesOf(before, after);
  const isEdited = Object.keys(changes).length > 0;
  if (!isMoved && !isEdited) return await show(tx, before);
  if (changes.title !== undefined && (await hasMilestoneTitled(tx.db, found.repository.number, after.title)))
    throw milestoneExists();
  await updateMilestone(tx.db, after);
  const milestone = await show(tx, after);
  const events: HostEvent[] = [];
  if (isEdited) {
    const details = { milestone, changes } satisfies EventDetails['milestone.edited'];
    events.push({ name: 'milestone', action: 'edited', details });
  }
  if (isMoved) {
    const action = after.state === 'closed' ? 'closed' : 'opened';
    const details = { milestone } satisfies EventDetails['milestone.closed'];
    events.push({ name: 'milestone', action, details });
  }
  await record(tx, found, events);
  return milestone;
}

function changesOf(before: Milestone, after: Milestone): EventDetails['milestone.edited']['changes'] {
  const { title, description, dueOn } = before;
  return {
    ...(after.title !== title && { title: { from: title } }),
    ...(after.description !== description && { description: { from: description ?? '' } }),
    ...(after.dueOn !== dueOn && { due_on: { from: dueOn === null ? '' : isoSeconds(dueOn) } }),
  };
}

/** Its first issues lose it at once, the others later; none of them shows it any more. */
export async function removeMilestone(
  tx: ChangeTransaction,
  found: FoundRepository,
  number: number,
): Promise<void> {
  const { db, actor } = tx;
  const milestone = await lockMilestone(tx, found, number);
  const shown = await show(tx, milestone);
  await deleteMilestone(db, milestone.id);
  const actorId = actor.caller === undefined ? null : accountOf(actor.caller).id;
  const { id, title, repositoryNumber } = milestone;
  const removal: MilestoneRemoval = { id, title, repositoryNumber, actorId, at: actor.now };
  if (await demilestoneSome(db, removal)) {
    const work = {
      id: `${REMOVE_MILESTONE}:${id}`,
      kind: REMOVE_MILESTONE,
      payload: JSON.stringify(removal),
    };
    await schedule(db, { ...work, dueAt: actor.now }, actor.now);
  }
  if (milestone.creator.id !== actorId) tx.record(removalByAnother(found, milestone));
  const details = { milestone: shown } satisfies EventDetails['milestone.deleted'];
  await record(tx, found, [{ name: 'milestone', action: 'deleted', details }]);
}

/** Milestones are data, and not in the audit log; but who made a plan may ask who has removed it. */
function removalByAnother(found: FoundRepository, { number, title, creator }: Milestone): Change {
  const change = repositoryChange(UPDATE_ISSUE.action, 'deleted a milestone of somebody else in', found);
  return { ...change, before: { milestone: number, title, creator: creator.id } };
}

async function lockMilestone(
  tx: ChangeTransaction,
  found: FoundRepository,
  number: number,
): Promise<Milestone> {
  await lock(tx, found);
  const milestone = await findMilestone(tx.db, found.repository.number, number);
  if (milestone === undefined) throw milestoneNotFound();
  return milestone;
}

async function lock({ db }: ChangeTransaction, { repository }: FoundRepository): Promise<void> {
  if ((await lockRepository(db, repository.number)) === undefined) throw repositoryNotFound();
}

async function show({ db }: ChangeTransaction, milestone: Milestone): Promise<ShownMilestone> {
  return showMilestone(
    milestone,
    await listOwners(db, milestone.creator.id === null ? [] : [milestone.creator.id]),
  );
}

/** What a call has opened has members more, which are no part of an event. */
async function record(
  tx: ChangeTransaction,
  { repository, owner }: FoundRepository,
  events: readonly HostEvent[],
): Promise<void> {
  await recordEvents(tx, events, { found: { repository, owner } });
}

function milestoneExists(): Failure {
  return new Failure('invalid', 'There is a milestone of that title already.', {
    code: 'already_exists',
    fields: [{ field: 'title', message: 'already exists' }],
  });
}

export function milestoneNotFound(): Failure {
  return new Failure('not-found', 'There is no such milestone');
}
