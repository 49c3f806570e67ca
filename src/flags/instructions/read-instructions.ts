// Reads the instructions of semantic patches: checks number, kinds and parameters, and names the one that failed.
import { Failure } from '../../kernel/failure.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import type { Instruction } from '../patch-body.ts';
import { checker, type Static, type TObject } from '../../kernel/schema/schema.ts';

/** Each instruction may walk through the whole flag. */
const MAX_INSTRUCTIONS = 1000;

export function requireFewInstructions(instructions: readonly Instruction[]): void {
  if (instructions.length <= MAX_INSTRUCTIONS) return;
  throw new Failure('invalid', `A patch can have at most ${MAX_INSTRUCTIONS} instructions.`);
}

/** Adds the index of the instruction to a failure, and names it in the message: `instructions[2] (addRule): clauses is required`. */
export function inInstruction<Result>(index: number, { kind }: Instruction, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw nameInstruction(error, index, kind);
  }
}

/** The same for an asynchronous instruction. */
export async function awaitInInstruction<Result>(
  index: number,
  { kind }: Instruction,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw nameInstruction(error, index, kind);
  }
}

function nameInstruction(error: unknown, index: number, kind: string): unknown {
  if (!(error instanceof Failure)) return error;
  const fields = error.details.fields?.map(({ field, message }) => ({
    field: `instructions.${index}.${field}`,
    message,
  }));
  return new Failure(error.kind, `instructions[${index}] (${shorten(kind)}): ${error.message}`, {
    ...error.details,
    instruction: index,
    ...(fields !== undefined && { fields }),
  });
}

/** In the body of a POST, an instruction that cannot be read is an invalid value and not a bad patch. */
export async function inPostedBody<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'bad-patch') throw error;
    throw new Failure('invalid', error.message, error.details);
  }
}

type Kinds = Record<string, TObject>;

/** One instruction with the parameters of its kind. */
export type Read<K extends Kinds> = { [Kind in keyof K]: { kind: Kind } & Static<K[Kind]> }[keyof K];

/** For a resource whose kinds are a table of schemas. */
export function instructionReader<const K extends Kinds>(kinds: K) {
  const checks = new Map(
    Object.entries(kinds).map(([kind, schema]) => [kind, checker(schema, 'body', 'bad-patch')]),
  );
  return (instructions: readonly Instruction[]): Read<K>[] => {
    requireFewInstructions(instructions);
    return instructions.map((instruction, index) => {
      const check = checks.get(instruction.kind);
      return inInstruction(index, instruction, () => {
        if (check === undefined) {
          const known = [...checks.keys()].join(', ');
          throw new Failure('bad-patch', `there is no such kind here. There are: ${known}.`);
        }
        check(instruction);
        return instruction as Read<K>;
      });
    });
  };
}
