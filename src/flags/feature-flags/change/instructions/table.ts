// The table of all kinds of instructions for flags, by name.
import { toKinds, type CheckedKind } from '../../../patch/instructions.ts';
import { customPropertyKinds, detailKinds, maintainerKinds } from './details.ts';
import type { FlagKindRow } from './kind.ts';
import { lifecycleKinds } from './lifecycle.ts';
import { prerequisiteKinds } from './prerequisites.ts';
import { clauseKinds, ruleKinds } from './rules.ts';
import { onAndFallthroughKinds } from './on-and-fallthrough.ts';
import { targetKinds } from './targets.ts';
import { variationKinds } from './variations.ts';

type FlagKind = FlagKindRow & CheckedKind;

const rows: Record<string, FlagKindRow> = {
  ...onAndFallthroughKinds,
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

export const flagKinds: ReadonlyMap<string, FlagKind> = toKinds('FlagInstruction', rows);
