// Actions as a caller sends them: finds what they start, checks that the caller may start it, and seals their inputs, which are opened again to be shown or used.
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { openActor, type ActorCall } from '../actors/access.ts';
import { holdActor } from '../actors/store.ts';
import { openTask } from '../tasks/access.ts';
import { holdTask } from '../tasks/store.ts';
import { isJson } from '../input/input-json.ts';
import {
  checkActions,
  type ActionType,
  type ScheduleAction,
  type SentAction,
  MAX_INPUT_LENGTH,
} from './action.ts';

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

/** Returns the inputs as they are stored. Sealed, because a field of an input may be secret, and only a build knows which. */
async function sealInputs(
  { secrets }: Pick<Kernel, 'secrets'>,
  sent: readonly SentAction[],
): Promise<(string | null)[]> {
  const texts: (string | null)[] = [];
  let total = 0;
  for (const [index, action] of sent.entries()) {
    const text = await inputTextOf(action, index);
    total += text?.length ?? 0;
    if (total > MAX_INPUT_LENGTH) {
      throw problem(
        'actions',
        `can have inputs of ${MAX_INPUT_LENGTH.toLocaleString('en')} characters together: keep large inputs in a key-value store`,
      );
    }
    texts.push(text);
  }
  const sealed: (string | null)[] = [];
  for (const text of texts) sealed.push(text === null ? null : await secrets.seal(text));
  return sealed;
}

/** The input as it was sent: `runInput` of an Actor, the object of a task; null where there is none. */
export async function openInput(
  { secrets }: Pick<Kernel, 'secrets'>,
  { sealedInput }: Pick<ScheduleAction, 'sealedInput'>,
): Promise<unknown> {
  return sealedInput === null ? null : await parseJson(Buffer.from(secrets.open(sealedInput)));
}

async function inputTextOf(action: SentAction, index: number): Promise<string | null> {
  if (action.type === 'RUN_ACTOR') {
    const { runInput } = action;
    if (runInput == null) return null;
    await checkRunInput(runInput, index);
    return (await stringifyLarge(runInput)).toString();
  }
  const input = typeof action.input === 'string' ? await parseInput(action.input, index) : action.input;
  return input == null ? null : (await stringifyLarge(input)).toString();
}

async function checkRunInput(
  { body, contentType }: NonNullable<SentAction['runInput']>,
  index: number,
): Promise<void> {
  if (body == null || body === '') return;
  if (contentType == null || !isJson(contentType)) return;
  try {
    await parseJson(Buffer.from(body));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw notJson(`actions.${index}.runInput.body`, error);
  }
}

async function parseInput(text: string, index: number): Promise<Record<string, unknown> | null> {
  if (text === '') return null;
  let value: unknown;
  try {
    value = await parseJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw notJson(`actions.${index}.input`, error);
  }
  // Null is no input, as in a call that starts the task.
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown> | null;
  throw problem(`actions.${index}.input`, 'must be an object, or the JSON of one');
}

function notJson(field: string, cause: Failure): Failure {
  return new Failure('invalid', `${field} is no valid JSON: ${cause.message}`, {
    code: 'run-input-body-not-valid-json',
    cause,
  });
}
