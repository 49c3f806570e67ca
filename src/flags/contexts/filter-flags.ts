// Filters and sorts, in memory, the flags that are evaluated for a context.
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { FlagName } from '../delivery/store.ts';
import { foldExpression, textsOf, type Comparison, type Expression } from '../filter-expression.ts';
import type { SortOrder } from '../list-query.ts';
import { sortBy } from '../projects/search-in-memory.ts';

export const EVALUATION_FILTERS = { query: ['equals'], tags: ['contains'] } as const;
export const EVALUATION_SORTS = ['creationDate', 'key', 'name'] as const;

/** The sort is stable. */
export function filterFlags(
  flags: readonly FlagName[],
  filter: Expression | undefined,
  orders: readonly SortOrder<(typeof EVALUATION_SORTS)[number]>[],
): FlagName[] {
  const isWanted = filter === undefined ? () => true : compileFilter(filter);
  return sortBy(flags.filter(isWanted), orders, {
    creationDate: ({ createdAt }) => createdAt,
    key: ({ key }) => key,
    name: ({ name }) => foldCase(name),
  });
}

type Test = (flag: FlagName) => boolean;

function compileFilter(filter: Expression): Test {
  return foldExpression<Test>(filter, compare, (kind, tests) =>
    kind === 'all' ? (flag) => tests.every((test) => test(flag)) : (flag) => tests.some((test) => test(flag)),
  );
}

function compare(comparison: Comparison): Test {
  const texts = textsOf(comparison);
  if (comparison.field === 'tags') return ({ tags }) => texts.every((tag) => tags.includes(tag));
  const parts = texts.map((text) => text.toLowerCase());
  return ({ key, name }) => {
    const words = [key.toLowerCase(), name.toLowerCase()];
    return parts.some((part) => words.some((word) => word.includes(part)));
  };
}
