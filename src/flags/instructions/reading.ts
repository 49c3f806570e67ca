// Reads the instructions of semantic patches: how many, of which kinds with which parameters, and which one failed.
import { Failure } from '../../kernel/failure.ts';
import { shorten } from '../../kernel/patch/pointer.ts';
import type { Instruction } from '../../kernel/patch/read.ts';
import { checker, type Static, type TObject } from '../../kernel/schema.ts';

/** Each may look through all that a flag has. */
const MOST_INSTRUCTIONS = 1000;

export function requireFewInstructions(instructions: readonly Instruction[]): void {
  if (instructions.length <= MOST_INSTRUCTIONS) return;
  throw new Failure('invalid', `A patch can have at most ${MOST_INSTRUCTIONS} instructions.`);
}

/** Failures name the instruction that they are about: `instructions[2] (addRule): clauses is required`. */
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

type Kinds = Record<string, TObject>;

/** One instruction whose parameters are what its kind asks for. */
export type Read<K extends Kinds> = { [Kind in keyof K]: { kind: Kind } & Static<K[Kind]> }[keyof K];

/** For a resource whose kinds are a table of schemas. */
export function instructionReader<const K extends Kinds>(kinds: K) {
  const checks = new Map(Object.entries(kinds).map(([kind, schema]) => [kind, checker(schema, 'body')]));
  return (instructions: readonly Instruction[]): Read<K>[] => {
    requireFewInstructions(instructions);
    return instructions.map((instruction, index) => {
      const check = checks.get(instruction.kind);
      return inInstruction(index, instruction, () => {
        if (check === undefined) {
          const known = [...checks.keys()].join(', ');
          throw new Failure('invalid', `there is no such kind here. There are: ${known}.`);
        }
        check(instruction);
        return instruction as Read<K>;
      });
    });
  };
}
