// The words of the search page.
import { formatCount } from '../ui/format.ts';

export const SEARCH = {
  title: 'Search',
  label: 'Search everything',
  placeholder: 'A name, a key, an id, or an address',
  kinds: 'Filter by kind',
  all: 'All',
  found: (count: number, isMore: boolean) =>
    count === 1 ? 'One hit.' : `${formatCount(count)} hits${isMore ? ', the best of each kind' : ''}.`,
  more: (label: string, count: number) =>
    `These are the best ${formatCount(count)} of the ${label.toLowerCase()}. A further word narrows them.`,
  exact: 'Exact',
  noPage: 'Has no page yet',
  start: {
    title: 'Search everything that you may see',
    text: 'Flags, Actors, runs, storages, repositories, issues, people, tokens and the documentation. Every word must begin a word of the name, key or tag. An id or an address that is pasted here leads to its page.',
  },
  none: {
    title: (text: string) => `Nothing begins with “${text}”`,
    text: 'All words must match. Fewer words, or the beginning of one, find more. What you may not see is not found.',
    ofKinds: 'Among the chosen kinds there is nothing; there may be something among the others.',
    showAll: 'Search all kinds',
    clear: 'Clear the search',
  },
} as const;
