// Applies the instructions of a semantic patch to a flag, one after the other, all or none. Pure.
import { shorten } from '../../../../kernel/json/pointer.ts';
import type { Instruction } from '../../../patch/patch.ts';
import { misfit, problem } from '../../../../kernel/schema/schema.ts';
import { couldBeId } from '../../../fields.ts';
import type { Flag } from '../../flag.ts';
import type { EditedFlag, FlagPermission } from '../flag-edit.ts';
import type { InstructionContext, ReferenceKeys } from './kind.ts';
import { DELETE } from './lifecycle.ts';
import { inInstruction, readKind, requireFewInstructions } from '../../../patch/instructions.ts';
import { flagKinds } from './table.ts';

/**
 * Throws for the first instruction that cannot be applied, and names it. Rules that hold after every change, such as limits
 * of size and no cycles of prerequisites, are not checked here.
 */
export function applyInstructions(
  before: Flag,
  instructions: Instruction[],
  context: InstructionContext,
): EditedFlag {
  requireFewInstructions(instructions);
  requireEnvironment(before, context);
  let flag = before;
  const permissions = new Map<string, FlagPermission>();
  for (const [index, instruction] of instructions.entries()) {
    inInstruction(index, instruction, () => {
      if (instructions[index - 1]?.kind === DELETE) throw problem('kind', 'cannot stand behind deleteFlag');
      const kind = readKind(flagKinds, 'flags', instruction);
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

/** The references to look up before the instructions are applied. Throws for an unknown kind or a wrong parameter. */
export function referencesOf(instructions: Instruction[]): ReferenceKeys {
  requireFewInstructions(instructions);
  const flagKeys = new Set<string>();
  const memberIds = new Set<string>();
  const teamKeys = new Set<string>();
  for (const [index, instruction] of instructions.entries()) {
    inInstruction(index, instruction, () => readKind(flagKinds, 'flags', instruction));
    const { kind, key, value, prerequisites } = instruction as unknown as ReferenceParameters;
    if (kind === 'addPrerequisite' || kind === 'updatePrerequisite') flagKeys.add(key);
    else if (kind === 'replacePrerequisites') for (const needed of prerequisites) flagKeys.add(needed.key);
    else if (kind === 'updateMaintainerMember' && couldBeId(value)) memberIds.add(value);
    else if (kind === 'updateMaintainerTeam') teamKeys.add(value);
  }
  return { flagKeys: [...flagKeys], memberIds: [...memberIds], teamKeys: [...teamKeys] };
}

/** The parameters that refer to other resources, on the kinds that have them. */
interface ReferenceParameters {
  kind: string;
  key: string;
  value: string;
  prerequisites: { key: string }[];
}

/** Also checked when no instruction needs it: a patch that was meant for another environment must not be applied. */
function requireEnvironment({ environments }: Flag, { environmentKey }: InstructionContext): void {
  if (environmentKey === undefined || Object.hasOwn(environments, environmentKey)) return;
  throw problem('environmentKey', `names no environment: ${shorten(environmentKey)}`);
}

function readEnvironment({ environmentKey }: InstructionContext): string {
  if (environmentKey === undefined) throw misfit('environmentKey', 'is required beside the instructions');
  return environmentKey;
}
