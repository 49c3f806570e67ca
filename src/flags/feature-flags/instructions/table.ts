// All kinds of instructions that a flag understands, by name.
import { checker, Type, type TObject } from '../../../kernel/schema.ts';
import { clauseKinds } from './clause-kinds.ts';
import { customPropertyKinds } from './custom-properties.ts';
import { detailKinds } from './details.ts';
import type { Row } from './kind.ts';
import { lifecycleKinds } from './lifecycle.ts';
import { maintainerKinds } from './maintainers.ts';
import { prerequisiteKinds } from './prerequisites.ts';
import { ruleKinds } from './rules.ts';
import { servingKinds } from './serving.ts';
import { targetKinds } from './targets.ts';
import { variationKinds } from './variations.ts';

export interface Kind extends Row {
  /** The whole instruction. */
  schema: TObject;
  check(instruction: unknown): void;
}

const rows: Record<string, Row> = {
  ...servingKinds,
  ...targetKinds,
  ...ruleKinds,
  ...clauseKinds,
  ...prerequisiteKinds,
  ...variationKinds,
  ...detailKinds,
  ...customPropertyKinds,
  ...maintainerKinds,
  ...lifecycleKinds,
};

export const flagKinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries(rows).map(([name, row]) => {
    const schema = Type.Object(
      { kind: Type.Literal(name), ...row.parameters },
      { $id: `FlagInstruction.${name}`, description: row.summary, additionalProperties: false },
    );
    return [name, { ...row, schema, check: checker(schema, 'body') }];
  }),
);
