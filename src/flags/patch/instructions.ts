// Instructions of semantic patches: tables of their kinds, which give the checks and the documentation, and reading them with errors that name the one that failed.
import { Failure } from '../../kernel/failure.ts';
import {
  checker,
  misfit,
  Type,
  type JsonSchema,
  type TObject,
  type TSchema,
  type Static,
} from '../../kernel/schema/schema.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import type { Instruction } from './patch.ts';

export interface DocumentedKind {
  /** The effect, for the documentation. */
  summary: string;
  /** The schema of the whole instruction. */
  schema: TObject;
}

export interface CheckedKind extends DocumentedKind {
  check(instruction: unknown): void;
}

export type Parameters = Record<string, TSchema>;

interface KindRow {
  summary: string;
  parameters: Parameters;
}

/** `owner` is the prefix of the schema names. Unknown parameters are rejected, because a misspelled one would count as absent. */
export function toKinds<Row extends KindRow>(
  owner: string,
  rows: Readonly<Record<string, Row>>,
): Map<string, Row & CheckedKind> {
  return new Map(
    Object.entries(rows).map(([name, row]) => {
      const schema = Type.Object(
        { kind: Type.Literal(name), ...row.parameters },
        { $id: `${owner}.${name}`, description: row.summary, additionalProperties: false },
      );
      return [name, { ...row, schema, check: checker(schema, 'body', 'bad-patch') }];
    }),
  );
}

/** Finds the kind of the instruction in the table, and checks the parameters. `whose` is as in `unknownKind`. */
export function readKind<Kind extends CheckedKind>(
  kinds: ReadonlyMap<string, Kind>,
  whose: string,
  instruction: Instruction,
): Kind {
  const kind = kinds.get(instruction.kind);
  if (kind === undefined) throw unknownKind(whose, kinds.keys());
  kind.check(instruction);
  return kind;
}

/** For an instruction of a kind that is not in the table: `whose` is what the instructions are for, in the plural. */
export function unknownKind(whose: string, kinds: Iterable<string>): Failure {
  return misfit('kind', `is not one that ${whose} know. There are: ${[...kinds].join(', ')}`);
}

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

/** Reads the instructions of a resource whose kinds are a table of schemas. */
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

/** The schema of one kind, for a table that `instructionReader` takes. */
export function KindSchema<Name extends string, const P extends Parameters>(
  name: Name,
  summary: string,
  parameters: P,
) {
  return Type.Object(
    { kind: Type.Literal(name), ...parameters },
    { additionalProperties: false, description: summary },
  );
}

/** The documentation of such a table. */
export function documentedKinds(schemas: Readonly<Record<string, TObject>>): Map<string, DocumentedKind> {
  return new Map(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { schema, summary: (schema as JsonSchema).description! },
    ]),
  );
}

/** One line for each kind in Markdown; optional parameters have a question mark. */
export function listKinds(kinds: Iterable<readonly [string, DocumentedKind]>): string {
  return [...kinds].map(([name, kind]) => `- ${describeKind(name, kind)}`).join('\n');
}

function describeKind(name: string, { summary, schema }: DocumentedKind): string {
  const required = new Set(schema.required as readonly string[]);
  const parameters = Object.keys(schema.properties)
    .filter((parameter) => parameter !== 'kind')
    .map((parameter) => `\`${parameter}\`${required.has(parameter) ? '' : '?'}`);
  return `\`${name}\`${parameters.length === 0 ? '' : ` (${parameters.join(', ')})`}: ${summary}.`;
}
