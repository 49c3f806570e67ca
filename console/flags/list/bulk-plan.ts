// A change of many flags: what is wanted, the call for each flag, and one call after the other.
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import type { Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { needsTypedKey } from '../save/guard.ts';
import type { Instruction } from '../save/instruction.ts';
import { approvalCall, patchCall, type PlannedChange } from '../save/planned-change.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';

export type BulkKind = 'toggle' | 'tag' | 'archive';

export interface BulkWish {
  kind: BulkKind;
  environment?: Environment;
  isOn: boolean;
  isAdding: boolean;
  tags: readonly string[];
  comment: string;
}

const TAG = /^[\w.-]{1,64}$/;

/** `bad` is the first that cannot be a tag. */
export function readTags(text: string): { tags: string[]; bad?: string } {
  const tags = [...new Set(text.split(/[\s,]+/).filter((tag) => tag !== ''))];
  const bad = tags.find((tag) => !TAG.test(tag));
  return bad === undefined ? { tags } : { tags, bad };
}

/** What the environments ask for, as for a change of one flag. */
export interface BulkGuard {
  /** Whose key is typed by hand. */
  typed?: string;
  /** Where a comment is required. */
  commented?: string;
  /** Where only requests can be made. */
  approved?: string;
}

/** An archived flag is gone everywhere; tags reach no SDK. */
export function bulkGuardOf(
  { kind, environment }: Pick<BulkWish, 'kind' | 'environment'>,
  all: readonly Environment[],
): BulkGuard {
  if (kind === 'tag') return {};
  const reached = kind === 'archive' ? all : environment === undefined ? [] : [environment];
  const typed = reached.find(needsTypedKey)?.key;
  if (kind === 'archive') return { ...(typed !== undefined && { typed }) };
  const commented = reached.find(({ requireComments }) => requireComments)?.key;
  const approved = reached.find(({ approvalSettings }) => approvalSettings.required)?.key;
  return {
    ...(typed !== undefined && approved === undefined && { typed }),
    ...(commented !== undefined && { commented }),
    ...(approved !== undefined && { approved }),
  };
}

function instructionsOf({ kind, isOn, isAdding, tags }: BulkWish): Instruction[] {
  if (kind === 'toggle') return [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }];
  if (kind === 'archive') return [{ kind: 'archiveFlag' }];
  return [{ kind: isAdding ? 'addTags' : 'removeTags', values: tags }];
}

export function bulkCallOf(project: string, wish: BulkWish, flag: BulkFlag, guard: BulkGuard): Call {
  const change: PlannedChange = {
    project,
    ...(wish.kind === 'toggle' && wish.environment && { environment: wish.environment.key }),
    resource: { kind: 'flag', key: flag.key, name: flag.name },
    instructions: instructionsOf(wish),
    version: flag.version,
  };
  if (guard.approved === undefined) {
    const call = patchCall(change);
    const comment = wish.comment === '' ? {} : { comment: wish.comment };
    return { ...call, body: { ...(call.body as object), ...comment } };
  }
  const words = wish.isOn ? WORDS.turnOn : WORDS.turnOff;
  const description = words(flag.name, guard.approved);
  return approvalCall(change, { description, comment: wish.comment, reviewers: [] });
}

export type BulkFlag = Pick<Flag, 'key' | 'name' | 'version'>;

/** What takes it back from a flag as it was before; empty where the flag had it already. */
function undoInstructionsOf(wish: BulkWish, flag: UndoneFlag): Instruction[] {
  const { kind, isOn, isAdding, tags, environment } = wish;
  if (kind === 'archive') return flag.archived ? [] : [{ kind: 'restoreFlag' }];
  if (kind === 'toggle') {
    const wasOn = flag.environments?.[environment?.key ?? '']?.on ?? isOn;
    return wasOn === isOn ? [] : [{ kind: wasOn ? 'turnFlagOn' : 'turnFlagOff' }];
  }
  const values = tags.filter((tag) => flag.tags.includes(tag) !== isAdding);
  return values.length === 0 ? [] : [{ kind: isAdding ? 'removeTags' : 'addTags', values }];
}

type UndoneFlag = Pick<Flag, 'key' | 'name' | 'version' | 'tags' | 'archived' | 'environments'>;

/** For those that were changed, each on top of the version that the change has made: what others did since is not undone. */
export function undoCallsOf(
  project: string,
  wish: BulkWish,
  flags: readonly UndoneFlag[],
  results: readonly BulkResult[],
): BulkRun['calls'] {
  const versions = new Map(results.map(({ flag, version }) => [flag.key, version]));
  return flags.flatMap((flag) => {
    const version = versions.get(flag.key);
    const instructions = undoInstructionsOf(wish, flag);
    if (version === undefined || instructions.length === 0) return [];
    const change: PlannedChange = {
      project,
      ...(wish.kind === 'toggle' && wish.environment && { environment: wish.environment.key }),
      resource: { kind: 'flag', key: flag.key, name: flag.name },
      instructions,
      version,
    };
    return [
      {
        flag,
        call: patchCall(change, { comment: wish.comment === '' ? '' : WORDS.bulk.undoOf(wish.comment) }),
      },
    ];
  });
}

export interface BulkResult {
  flag: BulkFlag;
  /** Of the flag, once it was changed. */
  version?: number;
  /** Why it was not changed. */
  error?: string;
}

export interface BulkRun {
  calls: readonly { flag: BulkFlag; call: Call }[];
  signal: AbortSignal;
  onResult: (result: BulkResult) => void;
  onWait: (seconds: number | undefined) => void;
}

/** When the server asks for patience more often than this, it is not meant for one. */
const MAX_WAITS = 20;

/** In order, so that the server has time for others, too. Ends with the last, or when it is stopped. */
export async function runBulk({ calls, signal, onResult, onWait }: BulkRun): Promise<void> {
  let waits = 0;
  for (const { flag, call } of calls) {
    for (;;) {
      if (signal.aborted) return;
      const { error, version } = await trySend(call);
      const seconds = error?.status === 429 ? (error.retryAfter ?? 1) : undefined;
      if (seconds === undefined || waits >= MAX_WAITS) {
        onResult({
          flag,
          ...(error !== undefined && { error: error.message }),
          ...(version !== undefined && { version }),
        });
        break;
      }
      waits += 1;
      onWait(seconds);
      await pause(seconds * 1000, signal);
      onWait(undefined);
    }
  }
}

/** A request that is made has a version of its own, which is none of the flag. */
async function trySend(call: Call): Promise<{ error?: ApiError; version?: number }> {
  try {
    const { body } = await send<{ version?: number }>(call);
    return call.method === 'PATCH' && body.version !== undefined ? { version: body.version } : {};
  } catch (error) {
    if (error instanceof ApiError) return { error };
    throw error;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
