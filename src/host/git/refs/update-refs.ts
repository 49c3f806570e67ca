// Changes references, all of one call in one transaction, each only if it still has the value that the caller saw.
import { systemClock } from '../../../kernel/clock.ts';
import { Failure, type FailureKind } from '../../../kernel/failure.ts';
import { GitError } from '../process/git-process.ts';
import { runChange, runGit, type GitTarget } from '../git-target.ts';
import { isObjectId, ZERO_OID } from '../objects/object-id.ts';
import { isValidRefName } from './revision.ts';
import { removeStaleLock } from '../maintenance/leftovers.ts';

export interface RefUpdate {
  /** The full name, such as `refs/heads/main`. */
  name: string;
  /** Undefined where the reference must not exist. */
  from: string | undefined;
  /** Undefined to delete it; the same as `from` to check only that it has not changed. */
  to: string | undefined;
}

/** Why nothing was changed. */
export type RefRefusal =
  | 'bad-name' // no reference can have this name
  | 'changed' // the reference has another value than expected, or exists, or does not
  | 'name-conflict' // `a` and `a/b` cannot both exist, nor one name stand twice in a transaction
  | 'locked' // another process is changing it
  | 'bad-object'; // the new value does not exist, or a branch would not be a commit

const KIND_OF: Readonly<Record<RefRefusal, FailureKind>> = {
  'bad-name': 'invalid',
  changed: 'conflict',
  'name-conflict': 'conflict',
  locked: 'conflict',
  'bad-object': 'invalid',
};

/** Is thrown when an update is refused. Nothing of its transaction has been changed. */
export class RefUpdateRefused extends Failure {
  readonly reason: RefRefusal;
  /** The reference that the refusal is about. */
  readonly ref: string;
  /** For `changed`: the value that the reference has, or undefined where it does not exist. */
  readonly current: string | undefined;

  constructor(reason: RefRefusal, ref: string, message: string, current?: string) {
    super(KIND_OF[reason], message, reason === 'locked' || reason === 'changed' ? { isContested: true } : {});
    this.name = 'RefUpdateRefused';
    this.reason = reason;
    this.ref = ref;
    this.current = current;
  }
}

export const REF_TIMEOUT_MS = 30_000;
/** Reads transactions, one after the other. */
export const UPDATE_REFS = ['update-ref', '--no-deref', '--stdin', '-z'];
/** `start: ok`, `prepare: ok` and `commit: ok`. */
const MAX_OUTPUT = 1024;
const MAX_LIST_OUTPUT = 16 * 1024 * 1024;

/** @throws {RefUpdateRefused} */
export async function updateRefs(
  target: GitTarget,
  updates: readonly RefUpdate[],
  now = systemClock.now(),
): Promise<void> {
  if (updates.length === 0) return;
  checkNames(updates);
  const error = await runTransaction(target, updates);
  if (error === undefined) return;
  const again = (await removeStaleLock(target.folder, error.stderr, now))
    ? await runTransaction(target, updates)
    : error;
  if (again !== undefined) throw await refusalOf(target, updates, again);
}

/** Returns the error of a transaction that has changed nothing. */
async function runTransaction(
  target: GitTarget,
  updates: readonly RefUpdate[],
): Promise<GitError | undefined> {
  const { folder, refWriters, quarantine, alternates } = target;
  const input = transactionOf(updates);
  try {
    if (
      quarantine === undefined &&
      alternates === undefined &&
      (await refWriters?.run(folder, input)) === true
    )
      return undefined;
    await runChange(target, UPDATE_REFS, {
      input,
      timeoutMs: REF_TIMEOUT_MS,
      maxOutput: MAX_OUTPUT,
    });
    return undefined;
  } catch (error) {
    if (error instanceof GitError) return error;
    throw error;
  }
}

/** The current values of references, by full name. Those that do not exist are left out. */
export async function readRefs(target: GitTarget, names: readonly string[]): Promise<Map<string, string>> {
  const wanted = new Set(names);
  // A pattern also matches the references below it.
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', '--', ...wanted];
  const output = await runGit(target, args, { timeoutMs: REF_TIMEOUT_MS, maxOutput: MAX_LIST_OUTPUT });
  const rows = output.toString().split('\n').filter(Boolean);
  const values = rows.map((row) => [row.slice(41), row.slice(0, 40)] as const);
  return new Map(values.filter(([name]) => wanted.has(name)));
}

/** Which branch a clone checks out. The branch need not exist yet. */
export async function setDefaultBranch(target: GitTarget, branch: string): Promise<void> {
  const name = `refs/heads/${branch}`;
  if (!isValidRefName(name)) throw badName(name);
  await runChange(target, ['symbolic-ref', 'HEAD', name], {
    timeoutMs: REF_TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
}

function checkNames(updates: readonly RefUpdate[]): void {
  const seen = new Set<string>();
  for (const { name, from, to } of updates) {
    if (!isValidRefName(name)) throw badName(name);
    if (seen.has(name)) throw new RefUpdateRefused('name-conflict', name, `${name} is named twice.`);
    seen.add(name);
    for (const oid of [from, to])
      if (oid !== undefined && !isObjectId(oid))
        throw new RefUpdateRefused('bad-object', name, 'The id of an object has 40 hexadecimal digits.');
  }
}

/** Without the `commit` at its end git changes nothing, so a server that dies while it writes this leaves no half of it. */
function transactionOf(updates: readonly RefUpdate[]): string {
  const commands = updates.map(({ name, from = ZERO_OID, to }) => {
    if (to === undefined && from === ZERO_OID) return `verify ${name}\0${ZERO_OID}\0`;
    if (to === undefined) return `delete ${name}\0${from}\0`;
    return to === from ? `verify ${name}\0${from}\0` : `update ${name}\0${to}\0${from}\0`;
  });
  return `start\0${commands.join('')}prepare\0commit\0`;
}

/** The values of the references decide, because the wording of git's messages differs between versions. */
async function refusalOf(
  target: GitTarget,
  updates: readonly RefUpdate[],
  error: GitError,
): Promise<RefUpdateRefused | GitError> {
  const names = updates.map(({ name }) => name);
  const current = await readRefs(target, names);
  const changed = updates.find(({ name, from }) => current.get(name) !== from);
  if (changed !== undefined) return changedRef(changed, current.get(changed.name));
  const ref = names.find((name) => error.stderr.includes(`'${name}'`)) ?? names[0]!;
  if (/exists; cannot create|cannot process .* at the same time/.test(error.stderr))
    return new RefUpdateRefused(
      'name-conflict',
      ref,
      `${ref} cannot be created: another reference has a part of this name as its own name.`,
    );
  if (/\.lock': File exists/.test(error.stderr))
    return new RefUpdateRefused('locked', ref, `${ref} is being changed by another call. Try again.`);
  // It had another value a moment ago, and has the expected one again.
  if (/but expected|reference already exists|unable to resolve reference/.test(error.stderr))
    return new RefUpdateRefused(
      'changed',
      ref,
      `${ref} is being changed by other calls. Try again.`,
      current.get(ref),
    );
  if (/nonexistent object|non-commit object/.test(error.stderr))
    return new RefUpdateRefused(
      'bad-object',
      ref,
      `The new value of ${ref} must be an object that exists, and for a branch a commit.`,
    );
  return error;
}

function changedRef({ name, from }: RefUpdate, current: string | undefined): RefUpdateRefused {
  const now = current === undefined ? 'does not exist' : `is at ${current}`;
  const expected = from === undefined ? 'expected not to exist' : `expected at ${from}`;
  return new RefUpdateRefused('changed', name, `${name} ${now} but was ${expected}.`, current);
}

function badName(name: string): RefUpdateRefused {
  return new RefUpdateRefused(
    'bad-name',
    name,
    `${JSON.stringify(name)} is not a valid name of a reference.`,
  );
}
