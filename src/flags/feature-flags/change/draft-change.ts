// Drafts a change to a flag: reads what it is about, applies the edit, finds the differences, checks them, and words the audit entry. Nothing is written.
import type { Change } from '../../../kernel/change/change.ts';
import { Failure } from '../../../kernel/failure.ts';
import type { Access, ChangeActor } from '../../../kernel/identity/actor.ts';
import { areEqual } from '../../../kernel/json/json-value.ts';
import { awaitAll } from '../../../kernel/storage/execute-all.ts';
import { onOneConnection } from '../../../kernel/storage/one-connection.ts';
import { contested } from '../../../kernel/storage/retry.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { listEnvironments } from '../../environments/store.ts';
import { unknownThing } from '../../find-project.ts';
import { requireVersion } from '../../patch/if-match.ts';
import type { Environment, Project } from '../../projects/project.ts';
import type { Flag } from '../flag.ts';
import { checkValues, normalizeFlag, validateFlag, validateSize } from '../model.ts';
import { displayContextOf, toFlagDetail } from '../representation.ts';
import type { ShownFlag } from '../schemas.ts';
import { findReferences } from '../store-references.ts';
import { findFlag, lockFlag, type FlagRecord } from '../store.ts';
import { describe, differencesOf, verbOf, type FlagDifference } from './differences.ts';
import type { FlagEdit, FlagPermission } from './flag-edit.ts';
import type { ReferenceKeys, References } from './instructions/kind.ts';
import { checkEnvironments, requirePermissions } from './permissions.ts';

export interface FlagRef {
  project: Project;
  flagKey: string;
}

/** What the audit log is to record, but for the flag as the change leaves it. */
export type FlagEntry = Omit<Change, 'after'>;

export interface FlagDraft extends EditedFlagChange {
  /** The environments whose settings decided that the change is allowed: it is void if one of them changes. */
  checked: readonly Environment[];
  /** Undefined when nothing changes. */
  entry: FlagEntry | undefined;
}

/**
 * Throws when the actor lacks a permission, or when the edited flag breaks a rule that can be checked without other flags.
 * Outside a transaction, other requests may run between the steps of a large change.
 */
export async function draftChange(
  db: Db,
  actor: ChangeActor,
  ref: FlagRef,
  edit: FlagEdit,
): Promise<FlagDraft> {
  const context = await readChangeContext(db, ref, edit.referenceKeys);
  const slice = db.isTransaction ? undefined : new TimeSlice();
  const edited = await applyEdit(actor, context, edit, slice);
  const accesses = requirePermissions(actor, context, edited.permissions);
  await pause(slice);
  validateEdited(edited);
  const checked = checkEnvironments(actor, edited);
  await pause(slice);
  return { ...edited, checked, entry: entryOf(edited, accesses) };
}

/**
 * Locks the flag, and drafts the change unless `drafted` is still good: the flag has not changed since. Where the engine has
 * no row locks, `updateFlag` finds that out.
 */
export async function draftLocked(
  tx: Db,
  actor: ChangeActor,
  ref: FlagRef,
  edit: FlagEdit,
  drafted: FlagDraft | undefined,
): Promise<FlagDraft> {
  const held = await lockFlag(tx, ref.project.id, ref.flagKey);
  const isSame = held === undefined || held[0]?.version === drafted?.before.version;
  return drafted !== undefined && isSame ? drafted : await draftChange(tx, actor, ref, edit);
}

/** What is read before the change is decided. */
export interface ChangeContext {
  project: Project;
  found: FlagRecord;
  environments: readonly Environment[];
  references: References;
}

const NO_REFERENCES: ReferenceKeys = { flagKeys: [], memberIds: [], teamKeys: [] };

export async function readChangeContext(
  db: Db,
  { project, flagKey }: FlagRef,
  keys = NO_REFERENCES,
): Promise<ChangeContext> {
  const [found, environments, references] = await onOneConnection(db, (one) =>
    awaitAll([
      findFlag(one, project.id, flagKey),
      listEnvironments(one, project.id),
      findReferences(one, project.id, keys),
    ]),
  );
  if (found === undefined) throw unknownThing('flag', flagKey);
  // Two statements read the environments, and one may have been added or deleted in between.
  const ids = new Set(found.environments.map(({ id }) => id));
  if (environments.length !== ids.size || !environments.every(({ id }) => ids.has(id)))
    throw contested('environments');
  return { project, found, environments, references };
}

/** A change that is applied and not checked: neither who makes it, nor whether the flag breaks a rule. */
export interface EditedFlagChange {
  edit: FlagEdit;
  context: ChangeContext;
  before: Flag;
  /** Identical to `before` when nothing changes. */
  after: Flag;
  isDeleted: boolean;
  /** `before` in detail, as the API shows it. */
  shown: ShownFlag;
  differences: readonly FlagDifference[];
  permissions: readonly FlagPermission[];
}

export async function applyEdit(
  { now }: Pick<ChangeActor, 'now'>,
  context: ChangeContext,
  edit: FlagEdit,
  slice?: TimeSlice,
): Promise<EditedFlagChange> {
  const { project, found, environments, references } = context;
  const { flag: before } = found;
  requireVersion(edit.versions, { kind: 'flag', version: before.version });
  const shown = toFlagDetail(before, displayContextOf(project, found));
  const { flag, permissions, isDeleted = false } = edit.apply(before, shown, references);
  await pause(slice);
  if (!isDeleted) checkValues(flag.variations, before.variations);
  const after = raiseVersions(before, normalizeFlag(flag), now);
  const names = new Map(environments.map(({ key, name }) => [key, name]));
  const differences = differencesOf(before, after, names);
  const required = permissions ?? differences;
  return { edit, context, before, after, isDeleted, shown, differences, permissions: required };
}

/** Throws when the edited flag breaks a rule that can be checked without other flags. */
export function validateEdited({ before, after, isDeleted }: EditedFlagChange): void {
  if (isDeleted || after === before) return;
  validateFlag(after);
  validateSize(before, after);
}

/** With the permissions that the change takes. */
function entryOf(
  { edit, before, after, isDeleted, shown, differences }: EditedFlagChange,
  accesses: readonly Access[],
): FlagEntry | undefined {
  const { comment, update } = edit;
  const common = { kind: 'flag', before: shown, comment, ...(update !== undefined && { update }) };
  if (isDeleted) {
    const deletion = accesses.find(({ action }) => action === 'deleteFlag')!;
    return { ...common, accesses: [deletion], name: before.name, verb: 'deleted the flag' };
  }
  if (after === before) return undefined;
  const [first, ...others] = accesses;
  if (first === undefined) throw new Failure('internal', 'A flag has changed without a permission.');
  return {
    ...common,
    accesses: [first, ...others],
    name: after.name,
    verb: edit.verb ?? verbOf(differences),
    description: describe(differences),
  };
}

function pause(slice: TimeSlice | undefined): Promise<void> | undefined {
  return slice?.isOver === true ? slice.yieldToEventLoop() : undefined;
}

/** Returns `before` itself when nothing changed. Else raises the versions of the flag and of the changed configurations. */
function raiseVersions(before: Flag, wanted: Flag, now: number): Flag {
  const environments = Object.fromEntries(
    Object.entries(before.environments).map(([key, old]) => {
      const config = wanted.environments[key] ?? old;
      if (areEqual(config, old)) return [key, old];
      return [key, { ...config, version: old.version + 1, lastModified: now }];
    }),
  );
  const isSame = Object.keys(environments).every((key) => environments[key] === before.environments[key]);
  if (isSame && areEqual({ ...wanted, environments: null }, { ...before, environments: null })) return before;
  return { ...wanted, version: before.version + 1, environments };
}
