// Reads the instructions of semantic patches: each kind has its parameters, and a wrong one is named with its place.
import { Failure } from '../../kernel/failure.ts';
import type { Instruction } from '../../kernel/patch/read.ts';
import { shorten } from '../../kernel/patch/pointer.ts';
import { checker, type Static, type TObject } from '../../kernel/schema.ts';
import { requireFewInstructions } from '../feature-flags/instructions/naming.ts';

type Kinds = Record<string, TObject>;

/** One instruction whose parameters are what its kind asks for. */
export type Read<K extends Kinds> = { [Kind in keyof K]: { kind: Kind } & Static<K[Kind]> }[keyof K];

export function instructionReader<const K extends Kinds>(kinds: K) {
  const checks = new Map(Object.entries(kinds).map(([kind, schema]) => [kind, checker(schema, 'body')]));
  return (instructions: readonly Instruction[]): Read<K>[] => {
    requireFewInstructions(instructions);
    return instructions.map((instruction, index) => {
      const { kind } = instruction;
      const check = checks.get(kind);
      return explain(index, kind, () => {
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

/** Whatever is wrong with an instruction is told with its place in the list. */
export function explain<Result>(index: number, kind: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
    const message = `instructions[${index}] (${shorten(kind)}): ${error.message}`;
    throw new Failure('invalid', message, error.details);
  }
}
