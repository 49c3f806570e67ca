// Variations as they are being edited, checked, and turned into instructions.
import { typeOf, type Flag } from '../flag.ts';
import type { Instruction } from '../save/instruction.ts';
import type { FlagDetail } from '../settings/flag-detail.ts';
import type { FlagType } from '../words.ts';
import { VARIATION_WORDS as WORDS } from './variations-words.ts';

export interface VariationDraft {
  /** Undefined for a new one. */
  id?: string;
  /** Stays while it is edited. */
  rowKey: string;
  text: string;
  name: string;
  description: string;
  isRemoved: boolean;
}

export interface VariationsDraft {
  rows: VariationDraft[];
  /** Indexes of rows. */
  onDefault: number;
  offDefault: number;
}

export function draftOf(flag: FlagDetail, type: FlagType): VariationsDraft {
  const { onVariation = 0, offVariation = flag.variations.length - 1 } = flag.defaults ?? {};
  return {
    rows: flag.variations.map(({ _id: id, value, name = '', description = '' }) => ({
      id,
      rowKey: id,
      text: textOf(value, type),
      name,
      description,
      isRemoved: false,
    })),
    onDefault: onVariation,
    offDefault: offVariation,
  };
}

function textOf(value: unknown, type: FlagType): string {
  if (typeof value === 'string') return value;
  return type === 'json' ? JSON.stringify(value, undefined, 2) : JSON.stringify(value);
}

type ReadValue = { value: unknown } | { message: string };

function readValue(text: string, type: FlagType): ReadValue {
  if (type === 'string') return { value: text };
  if (type === 'number') {
    const value = Number(text);
    return text.trim() !== '' && Number.isFinite(value) ? { value } : { message: WORDS.badNumber };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { message: WORDS.badJson(error instanceof Error ? error.message : '') };
  }
}

/** What is wrong with each row, by its key. */
export function faultsOf({ rows }: VariationsDraft, type: FlagType): Map<string, string> {
  const faults = new Map<string, string>();
  const seen = new Set<string>();
  for (const { rowKey, text, isRemoved } of rows) {
    if (isRemoved) continue;
    const read = readValue(text, type);
    if ('message' in read) faults.set(rowKey, read.message);
    else {
      const key = JSON.stringify(read.value);
      if (seen.has(key)) faults.set(rowKey, WORDS.same);
      seen.add(key);
    }
  }
  return faults;
}

/** First what is changed and added, so that the defaults can name it; at last what is removed. */
export function instructionsOf(flag: Flag, before: VariationsDraft, after: VariationsDraft): Instruction[] {
  const type = typeOf(flag);
  const old = new Map(before.rows.map((row) => [row.rowKey, row]));
  const valueOf = ({ text }: VariationDraft) => {
    const read = readValue(text, type);
    return 'value' in read ? read.value : undefined;
  };
  const kept = after.rows.filter(({ isRemoved }) => !isRemoved);
  const changed = kept.flatMap((row): Instruction[] => {
    const { id, name, description } = row;
    if (id === undefined)
      return [
        {
          kind: 'addVariation',
          value: valueOf(row),
          ...(name !== '' && { name }),
          ...(description !== '' && { description }),
        },
      ];
    const was = old.get(row.rowKey)!;
    const fields = {
      ...(JSON.stringify(valueOf(row)) !== JSON.stringify(valueOf(was)) && { value: valueOf(row) }),
      ...(name !== was.name && { name }),
      ...(description !== was.description && { description }),
    };
    return Object.keys(fields).length === 0 ? [] : [{ kind: 'updateVariation', variationId: id, ...fields }];
  });
  const isOtherDefault = before.onDefault !== after.onDefault || before.offDefault !== after.offDefault;
  const [on, off] = [after.rows[after.onDefault], after.rows[after.offDefault]];
  const defaults: Instruction[] =
    isOtherDefault && on !== undefined && off !== undefined
      ? [{ kind: 'updateDefaultVariation', onVariationValue: valueOf(on), offVariationValue: valueOf(off) }]
      : [];
  const removed = after.rows.flatMap(({ id, isRemoved }): Instruction[] =>
    isRemoved && id !== undefined ? [{ kind: 'removeVariation', variationId: id }] : [],
  );
  return [...changed, ...defaults, ...removed];
}
