// Tables of the kinds of instructions of a resource, which give the checks and the documentation.
import type { Failure } from '../../kernel/failure.ts';
import {
  checker,
  misfit,
  Type,
  type JsonSchema,
  type TObject,
  type TSchema,
} from '../../kernel/schema/schema.ts';

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

/** For an instruction of a kind that is not in the table: `whose` is what the instructions are for, in the plural. */
export function unknownKind(whose: string, kinds: Iterable<string>): Failure {
  return misfit('kind', `is not one that ${whose} know. There are: ${[...kinds].join(', ')}`);
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
