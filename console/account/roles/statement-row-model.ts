// Statements as rows of a form: one half of them is a list of names, or all but those.
import { STATEMENT_FIELDS, type PolicyStatement } from '../policy/policy.ts';

export type Half = 'actions' | 'resources';

const EXCEPT = { actions: 'notActions', resources: 'notResources' } as const;

/** Undefined where the text is nothing that rows could show without losing something of it. */
export function readRows(text: string): PolicyStatement[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Array.isArray(value) && value.every(isRow) ? value : undefined;
}

function isRow(value: unknown): value is PolicyStatement {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  if (!Object.keys(fields).every((name) => STATEMENT_FIELDS.includes(name))) return false;
  if (fields['effect'] !== 'allow' && fields['effect'] !== 'deny') return false;
  return (['actions', 'resources'] as const).every((half) => {
    const lists = [fields[half], fields[EXCEPT[half]]].filter((list) => list !== undefined);
    const full = lists.filter((list) => !Array.isArray(list) || list.length > 0);
    return lists.every(isListOfTexts) && full.length < 2;
  });
}

function isListOfTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((one) => typeof one === 'string');
}

export interface NamedHalf {
  isExcept: boolean;
  names: string[];
}

export function halfOf(statement: PolicyStatement, half: Half): NamedHalf {
  const names = statement[half] ?? [];
  const others = statement[EXCEPT[half]];
  const isExcept = others !== undefined && names.length === 0;
  return { isExcept, names: isExcept ? others : names };
}

export function withHalf(
  statement: PolicyStatement,
  half: Half,
  { isExcept, names }: NamedHalf,
): PolicyStatement {
  const { [half]: _names, [EXCEPT[half]]: _others, ...rest } = statement;
  const named = { ...rest, [isExcept ? EXCEPT[half] : half]: names } as PolicyStatement;
  // In the order that people write them in.
  return Object.fromEntries(
    STATEMENT_FIELDS.flatMap((name) => (name in named ? [[name, named[name as keyof PolicyStatement]]] : [])),
  ) as unknown as PolicyStatement;
}

export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)];
}

export const NEW_STATEMENT: PolicyStatement = { effect: 'allow', actions: [], resources: [] };
