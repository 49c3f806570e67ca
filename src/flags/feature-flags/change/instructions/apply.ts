// Applies a semantic patch to a flag: one instruction after the other, all or nothing.
import { shorten } from '../../../../kernel/patch/pointer.ts';
import type { Instruction } from '../../../patch-body.ts';
import { misfit, problem } from '../../../../kernel/schema.ts';
import { couldBeId } from '../../../fields.ts';
import type { Flag } from '../../flag.ts';
import type { Context } from './kind.ts';
import { DELETE } from './lifecycle.ts';
import { inInstruction, requireFewInstructions } from '../../../instructions/reading.ts';
import { flagKinds, type Kind } from './table.ts';

export type { Context, References } from './kind.ts';

export interface AppliedInstructions {
  /** Versions and dates of modification are as they were; what did not change is the very same object as before. */
  flag: Flag;
  /** The permissions it takes, each once, also for instructions that left things as they were. */
  permissions: { action: string; environmentKey?: string }[];
  isDeleted?: boolean;
}

/**
 * The flag that comes in stays untouched. Fails naming the first instruction that cannot be applied. What holds for every
 * flag however it was changed, such as how large it may be and that prerequisites go in no circle, is not looked at here.
 */
export function applyInstructions(
  before: Flag,
  instructions: Instruction[],
  context: Context,
): AppliedInstructions {
  requireFewInstructions(instructions);
  requireEnvironment(before, context);
  let flag = before;
  const permissions = new Map<string, AppliedInstructions['permissions'][number]>();
  for (const [index, instruction] of instructions.entries()) {
    inInstruction(index, instruction, () => {
      if (instructions[index - 1]?.kind === DELETE) throw problem('kind', 'cannot stand behind deleteFlag');
      const kind = readKind(instruction);
      const environmentKey = kind.level === 'environment' ? readEnvironment(context) : undefined;
      flag = kind.apply({ ...context, flag }, instruction as never);
      permissions.set(kind.action, {
        action: kind.action,
        ...(environmentKey !== undefined && { environmentKey }),
      });
    });
  }
  const isDeleted = instructions.at(-1)?.kind === DELETE;
  return { flag, permissions: [...permissions.values()], ...(isDeleted && { isDeleted }) };
}

/** What has to be loaded before they can be applied. Fails where an instruction is of no known kind, or lacks a parameter. */
export function referencesOf(instructions: Instruction[]) {
  requireFewInstructions(instructions);
  const flagKeys = new Set<string>();
  const memberIds = new Set<string>();
  const teamKeys = new Set<string>();
  for (const [index, instruction] of instructions.entries()) {
    inInstruction(index, instruction, () => readKind(instruction));
    const { kind, key, value, prerequisites } = instruction as unknown as Naming;
    if (kind === 'addPrerequisite' || kind === 'updatePrerequisite') flagKeys.add(key);
    else if (kind === 'replacePrerequisites') for (const needed of prerequisites) flagKeys.add(needed.key);
    else if (kind === 'updateMaintainerMember' && couldBeId(value)) memberIds.add(value);
    else if (kind === 'updateMaintainerTeam') teamKeys.add(value);
  }
  return { flagKeys: [...flagKeys], memberIds: [...memberIds], teamKeys: [...teamKeys] };
}

/** The parameters by which other things are named, on the kinds that have them. */
interface Naming {
  kind: string;
  key: string;
  value: string;
  prerequisites: { key: string }[];
}

function readKind(instruction: Instruction): Kind {
  const kind = flagKinds.get(instruction.kind);
  if (kind === undefined) throw misfit('kind', 'is not one that flags know');
  kind.check(instruction);
  return kind;
}

/** Also where no instruction needs it: a patch that is meant for another place must not be applied. */
function requireEnvironment({ environments }: Flag, { environmentKey }: Context): void {
  if (environmentKey === undefined || Object.hasOwn(environments, environmentKey)) return;
  throw problem('environmentKey', `names no environment: ${shorten(environmentKey)}`);
}

function readEnvironment({ environmentKey }: Context): string {
  if (environmentKey === undefined) throw misfit('environmentKey', 'is required beside the instructions');
  return environmentKey;
}
