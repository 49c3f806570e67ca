// All kinds of instructions that a flag understands, by name.
import { toKinds, type CheckedKind } from '../../../instructions/kinds.ts';
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

export type Kind = Row & CheckedKind;

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

export const flagKinds: ReadonlyMap<string, Kind> = toKinds('FlagInstruction', rows);
