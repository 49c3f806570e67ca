// The end of a list: how much of it is shown, and a button for more; and what stands there when a filter fits nothing.
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import { EmptyState } from '../ui/states.tsx';

const WORDS = {
  all: (count: string, noun: string) => `${count} ${noun}`,
  some: (shown: string, total: string, noun: string) => `${shown} of ${total} ${noun}`,
  atLeast: (shown: string, noun: string) => `${shown} ${noun} shown`,
  more: 'Show more',
};

/** As `useListPages` gives it; a list without pages is its rows alone. */
export interface ShownList {
  rows: readonly unknown[];
  total?: number | undefined;
  hasMore?: boolean;
  isReadingMore?: boolean;
  readMore?: () => void;
}

/** Of a list that `usePages` reads. */
export function shownOf(
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): Promise<unknown> },
  rows: readonly unknown[],
): ShownList {
  return {
    rows,
    hasMore: list.hasNextPage,
    isReadingMore: list.isFetchingNextPage,
    readMore: () => void list.fetchNextPage(),
  };
}

export interface ListFootProps {
  list: ShownList;
  /** In the plural and in the singular. */
  nouns: readonly [many: string, one: string];
}

export function ListFoot({ list, nouns }: ListFootProps) {
  const { rows, total, hasMore = false, isReadingMore, readMore } = list;
  const shown = rows.length;
  const noun = nouns[(total ?? shown) === 1 ? 1 : 0];
  return (
    <>
      <span>{wordsOf(shown, total, hasMore, noun)}</span>
      {hasMore && (
        <Button size="sm" isBusy={isReadingMore} onClick={readMore}>
          {WORDS.more}
        </Button>
      )}
    </>
  );
}

function wordsOf(shown: number, total: number | undefined, hasMore: boolean, noun: string): string {
  const count = formatCount(shown);
  if (!hasMore) return WORDS.all(count, noun);
  return total === undefined ? WORDS.atLeast(count, noun) : WORDS.some(count, formatCount(total), noun);
}

export interface NoMatchProps {
  words: { title: string; text: string; clear: string };
  onClear: () => void;
}

/** A filter that fits nothing is one button away from being cleared. */
export function NoMatch({ words: { title, text, clear }, onClear }: NoMatchProps) {
  return (
    <EmptyState icon="search" title={title} text={text} action={<Button onClick={onClear}>{clear}</Button>} />
  );
}
