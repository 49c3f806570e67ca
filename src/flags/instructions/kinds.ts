// The kinds of instructions that a resource understands: a table from which checking and documentation come.
import { checker, Type, type JsonSchema, type TObject, type TSchema } from '../../kernel/schema.ts';

export interface DocumentedKind {
  /** What it does, for the documentation. */
  summary: string;
  /** Of the whole instruction. */
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

/** `owner` begins the names of the schemas. What is misspelled is refused: it would else be taken for left out. */
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

/** One of a table that `instructionReader` reads by. */
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

/** Such a table, to be documented. */
export function documentedKinds(schemas: Readonly<Record<string, TObject>>): Map<string, DocumentedKind> {
  return new Map(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { schema, summary: (schema as JsonSchema).description! },
    ]),
  );
}
