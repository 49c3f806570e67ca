// Makes failures name the instruction that they are about: `instructions[2] (addRule): clauses is required`.
import { Failure } from '../../../kernel/failure.ts';
import { shorten } from '../../../kernel/patch/pointer.ts';
import type { Instruction } from '../../../kernel/patch/read.ts';

/** Each may look through all that a flag has. */
const MOST_INSTRUCTIONS = 1000;

export function requireFewInstructions(instructions: readonly Instruction[]): void {
  if (instructions.length <= MOST_INSTRUCTIONS) return;
  throw new Failure('invalid', `A patch can have at most ${MOST_INSTRUCTIONS} instructions.`);
}

export function inInstruction<Result>(index: number, { kind }: Instruction, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const fields = error.details.fields?.map(({ field, message }) => ({
      field: `instructions.${index}.${field}`,
      message,
    }));
    throw new Failure(error.kind, `instructions[${index}] (${shorten(kind)}): ${error.message}`, {
      ...error.details,
      ...(fields !== undefined && { fields }),
    });
  }
}
