// Actions as a caller sends them: finds what they start, and checks that the caller may start it.
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { openActor, type ActorCall } from '../actors/access.ts';
import { holdActor } from '../actors/store.ts';
import { openTask } from '../tasks/access.ts';
import { holdTask } from '../tasks/store.ts';
import { checkActions, type ActionType, type ScheduleAction, type SentAction } from './action.ts';
import { sealInputs } from './action-input.ts';

/** An action that has been checked, and has no id of its own yet. */
export type ActionDraft = Pick<ScheduleAction, 'type' | 'targetId' | 'runOptions' | 'sealedInput'> & {
  sentId: string | null;
};

/** Before the transaction: it reads what the actions start, and seals their inputs. */
export async function draftActions(
  kernel: Pick<Kernel, 'db' | 'secrets'>,
  call: ActorCall,
  sent: readonly SentAction[],
): Promise<ActionDraft[]> {
  checkActions(sent);
  const targets: string[] = [];
  for (const action of sent) targets.push(await findTarget(kernel, call, action));
  const inputs = await sealInputs(kernel, sent);
  return sent.map(({ id, type, runOptions }, index) => ({
    sentId: id ?? null,
    type,
    targetId: targets[index]!,
    runOptions: (type === 'RUN_ACTOR' ? runOptions : null) ?? null,
    sealedInput: inputs[index]!,
  }));
}

async function findTarget(kernel: Pick<Kernel, 'db'>, call: ActorCall, action: SentAction): Promise<string> {
  const { type } = action;
  const reference = (type === 'RUN_ACTOR' ? action.actorId : action.actorTaskId)!;
  try {
    return type === 'RUN_ACTOR'
      ? (await openActor(kernel, call, reference, 'runActor')).id
      : (await openTask(kernel, call, reference, 'runTask')).id;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
    throw targetNotFound(type, reference);
  }
}

function targetNotFound(type: ActionType, reference: string): Failure {
  return type === 'RUN_ACTOR'
    ? new Failure('not-found', `There is no Actor "${shorten(reference)}" that you may run`, {
        code: 'schedule-actor-not-found',
      })
    : new Failure('not-found', `There is no task "${shorten(reference)}" of yours`, {
        code: 'schedule-actor-task-not-found',
      });
}

/** In the transaction that saves them: what they start may have been deleted since it was found. */
export async function holdTargets(tx: Db, drafts: readonly ActionDraft[]): Promise<void> {
  const held = new Set<string>();
  for (const { type, targetId } of drafts) {
    if (held.has(targetId)) continue;
    const isThere = type === 'RUN_ACTOR' ? await holdActor(tx, targetId) : await holdTask(tx, targetId);
    if (!isThere) throw targetNotFound(type, targetId);
    held.add(targetId);
  }
}

/** Gives each draft the id of the action that it replaces, or a new one. */
export function applyDrafts(
  before: readonly ScheduleAction[],
  drafts: readonly ActionDraft[],
  now: number,
): ScheduleAction[] {
  const known = new Map(before.map((action) => [action.id, action]));
  return drafts.map(({ sentId, ...draft }) => {
    const old = sentId === null ? undefined : known.get(sentId);
    if (old === undefined) return { ...draft, id: newId(now), lastRunId: null, lastMoment: null };
    // An id that is sent twice belongs to the first.
    known.delete(old.id);
    const isSame = old.type === draft.type && old.targetId === draft.targetId;
    return {
      ...draft,
      id: old.id,
      lastRunId: isSame ? old.lastRunId : null,
      lastMoment: old.lastMoment,
    };
  });
}
