// Edits of a flag as values: what is wanted, before anything is read. They are made from patches and copies.
import { randomUUID } from 'node:crypto';
import type { Change } from '../../../kernel/change/change.ts';
import type { ChangeActor } from '../../../kernel/identity/actor.ts';
import type { Static } from '../../../kernel/schema/schema.ts';
import { type Patch, updateOf, type SemanticPatch } from '../../patch/patch.ts';
import type { Flag } from '../flag.ts';
import type { ShownFlag } from '../schemas.ts';
import { copyConfig, type FlagCopy } from './copy-config.ts';
import { applyInstructions, referencesOf } from './instructions/apply.ts';
import type { ReferenceKeys, References } from './instructions/kind.ts';
import { patchFlag } from './patch-flag.ts';

/** How a flag is to be edited: by a patch, a copy, or anything else. */
export interface FlagEdit {
  dryRun?: boolean;
  ignoreConflicts?: boolean;
  /** The edit is for these versions of the flag only. */
  versions?: readonly number[] | undefined;
  /** The key of the environment in which the edit was approved, or `*` to skip the check of approval everywhere. */
  approvedIn?: string;
  comment?: string | undefined;
  /** The patch as the audit log stores it. */
  update?: NonNullable<Change['update']>;
  /** The verb of the audit entry. Without it, the differences give the verb. */
  verb?: string;
  /** The other resources that `apply` needs to know. */
  referenceKeys?: ReferenceKeys;
  /** Pure. `shown` is the flag in detail. */
  apply(flag: Flag, shown: ShownFlag, references: References): EditedFlag;
}

export interface EditedFlag {
  flag: Flag;
  /** Without them, the differences give the permissions that the edit takes. */
  permissions?: readonly FlagPermission[];
  isDeleted?: boolean;
}

/** An action on the flag: in one environment, or without a key in all of them. */
export interface FlagPermission {
  action: string;
  environmentKey?: string;
}

type EditOptions = Pick<FlagEdit, 'dryRun' | 'ignoreConflicts' | 'versions' | 'approvedIn'>;

export interface FlagPatch<Kind extends Patch = Patch> extends EditOptions {
  patch: Kind;
}

export function editByPatch(actor: ChangeActor, { patch, ...options }: FlagPatch): FlagEdit {
  if (patch.kind === 'semantic') return editByInstructions(actor, { patch, ...options });
  const context = { now: actor.now, newUuid: randomUUID };
  return {
    ...options,
    comment: patch.comment,
    update: updateOf(patch),
    apply: (flag, shown) => ({ flag: patchFlag(flag, shown, patch, context) }),
  };
}

export function editByInstructions(
  { now }: Pick<ChangeActor, 'now'>,
  { patch, ...options }: FlagPatch<SemanticPatch>,
): FlagEdit {
  const { environmentKey } = patch;
  const context = { now, newUuid: randomUUID, ...(environmentKey !== undefined && { environmentKey }) };
  return {
    ...options,
    comment: patch.comment,
    update: updateOf(patch),
    referenceKeys: referencesOf(patch.instructions),
    apply: (flag, _shown, references) =>
      applyInstructions(flag, patch.instructions, { ...context, references }),
  };
}

export function editByCopy(
  copy: Static<typeof FlagCopy>,
  options: EditOptions & Pick<FlagEdit, 'comment'>,
): FlagEdit {
  return {
    ...options,
    verb: `copied from ${copy.source.key} to ${copy.target.key} the configuration of`,
    apply: (flag) => copyConfig(flag, copy),
  };
}
