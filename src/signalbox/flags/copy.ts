// Copies parts of the configurations of flags from one environment to others, in one transaction: each flag and environment as a PATCH would.
import { editFlag } from '../../flags/feature-flags/change/change-flag.ts';
import { copyConfig } from '../../flags/feature-flags/change/copy-config.ts';
import { differencesOf } from '../../flags/feature-flags/change/differences.ts';
import type { FlagEdit } from '../../flags/feature-flags/change/flag-edit.ts';
import { lockFlag } from '../../flags/feature-flags/store.ts';
import type { Environment, Project } from '../../flags/projects/project.ts';
import type { Changes, ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure, sentenceOf } from '../../kernel/failure.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { FLAG_PARTS } from './change-parts.ts';
import { COPY_PARTS, type ShownCopy, type ShownCopyItem, type WantedCopy } from './compare-model.ts';

interface CopyRequest extends Omit<WantedCopy, 'from' | 'to'> {
  project: Project;
  from: Environment;
  to: readonly Environment[];
}

/** Ends the transaction of a dry run, so that its reply is the very reply that the copy would have. */
class DryRun extends Error {
  readonly items: ShownCopyItem[];

  constructor(items: ShownCopyItem[]) {
    super('A dry run changes nothing.');
    this.items = items;
  }
}

export async function copyBetweenEnvironments(
  changes: Changes,
  actor: ChangeActor,
  request: CopyRequest,
): Promise<ShownCopy> {
  const { isDryRun = false } = request;
  const items = await changes
    .run(actor, async (tx) => {
      const done = await copyAll(tx, request);
      if (isDryRun) throw new DryRun(done);
      return done;
    })
    .catch((error: unknown) => {
      if (error instanceof DryRun) return error.items;
      throw error;
    });
  return { isDryRun, changed: items.filter(({ outcome }) => outcome === 'changed').length, items };
}

async function copyAll(tx: ChangeTransaction, request: CopyRequest): Promise<ShownCopyItem[]> {
  const { project, flags } = request;
  // All in one order and before anything else is locked, so that two copies never wait for each other.
  const keys = flags.map(({ key }) => key).toSorted((one, other) => (one < other ? -1 : 1));
  for (const key of keys) await lockFlag(tx.db, project.id, key);
  const items: ShownCopyItem[] = [];
  for (const flag of flags) {
    let changed = 0;
    for (const environment of request.to) {
      const item = await copyOne(tx, request, flag, environment, changed);
      if (item.outcome === 'changed') changed += 1;
      items.push(item);
    }
  }
  return items;
}

/** `changed` is how often this copy has changed the flag already. */
async function copyOne(
  tx: ChangeTransaction,
  { project, from, comment, ignoreConflicts = false }: CopyRequest,
  { key, parts, version }: WantedCopy['flags'][number],
  environment: Environment,
  changed: number,
): Promise<ShownCopyItem> {
  const copy = {
    source: { key: from.key },
    target: { key: environment.key },
    includedActions: parts.map((part) => COPY_PARTS[part]),
  };
  const edit: FlagEdit = {
    comment,
    ignoreConflicts,
    ...(version !== undefined && { versions: [version + changed] }),
    verb: `copied from ${from.key} to ${environment.key} the configuration of`,
    // Without the permissions of the copy: the differences give those that a PATCH takes.
    apply: (flag) => ({ flag: copyConfig(flag, copy).flag }),
  };
  const item = { flag: key, environment: environment.key };
  try {
    const { before, flag, isChanged } = await editFlag(tx, { project, flagKey: key }, edit);
    const names = new Map([[environment.key, environment.name]]);
    const sentences = differencesOf(before, flag, names).map(({ action, line }) => ({
      sentence: line,
      part: FLAG_PARTS[action],
      environmentKey: environment.key,
    }));
    return { ...item, outcome: isChanged ? 'changed' : 'same', sentences };
  } catch (error) {
    return { ...item, ...refusalOf(error) };
  }
}

/** All that a rule refuses before anything is written. */
const REFUSALS: ReadonlySet<string> = new Set([
  'denied',
  'forbidden',
  'approval-required',
  'not-found',
  'malformed',
  'invalid',
  'bad-patch',
  'conflict',
]);

function refusalOf(error: unknown): Pick<ShownCopyItem, 'outcome' | 'sentences' | 'reason' | 'missing'> {
  if (!(error instanceof Failure) || !REFUSALS.has(error.kind)) throw error;
  const { kind, message, details } = error;
  // The whole copy is tried again then.
  if (details.isContested === true) throw error;
  return {
    outcome: kind === 'approval-required' ? 'approval-required' : 'refused',
    sentences: [],
    reason: sentenceOf(message),
    ...(details.access !== undefined && { missing: details.access }),
  };
}
