// The words of home: what needs attention, today, the activity, and the first run.
import type { AttentionItem } from '../api/types/signalbox.ts';
import { formatCount } from '../ui/format.ts';

type Sentence = (title: string, count: number) => string;

/** The sentence of a row, by its kind. */
const SENTENCES: Readonly<Record<AttentionItem['kind'], Sentence>> = {
  approval: (title) => `Approve a change of ${title}`,
  review: (title) => `Review ${title}`,
  'failed-runs': (title, count) => `${title} failed${count > 1 ? ` ${formatCount(count)} times` : ''}`,
  'expired-locks': (title, count) =>
    `Locks of ${count === 1 ? 'a request' : `${formatCount(count)} requests`} expired in the queue ${title}`,
  webhook: (title) => `${title}: deliveries fail`,
  'rate-limit': (title) => `The limit ${title} is nearly used up`,
  paused: (title) => title,
  'late-work': (title) => title,
  disk: (title) => `${title} is nearly full`,
  'scheduled-change': (title) => `${title} changes`,
  token: (title) => `The token ${title} expires`,
  version: (title) => title,
  'removable-flags': (title, count) =>
    `${count === 1 ? 'A flag' : `${formatCount(count)} flags`} of ${title} can be removed`,
};

export const WORDS = {
  home: 'Home',
  title: 'Needs attention',
  waiting: (all: number, own: number): string =>
    `${things(all)}${own === 0 ? '' : `, ${formatCount(own)} of ${all === 1 ? 'it' : 'them'} for you`}.`,
  nothing: 'Nothing waits.',
  groups: { waiting: 'Waiting for you', failing: 'Failing', coming: 'Coming up' },
  sentences: SENTENCES,
  new: 'New',
  newToken: 'Token',
  invite: 'Member',
  firstRun: 'Getting started',
  clear: {
    title: 'All clear',
    text: 'Nothing waits for you, nothing fails, and nothing is due in the next hours.',
  },
  snooze: {
    label: (title: string) => `Snooze: ${title}`,
    hour: 'For one hour',
    tomorrow: 'Until tomorrow, 08:00',
    week: 'For a week',
    done: (until: string) => `Snoozed until ${until}.`,
    undo: 'Undo',
    failed: (why: string) => `Not snoozed: ${why}`,
    snoozed: (count: number) => `${formatCount(count)} snoozed`,
    until: 'until',
    wake: 'Show again',
    undoFailed: (why: string) => `Still snoozed: ${why}`,
  },
  pinned: {
    title: 'Pinned Actors',
    noRuns: 'No runs yet',
    run: (name: string) => `Run ${name}`,
    unpin: (name: string) => `Take ${name} from home`,
  },
  today: {
    label: 'Today',
    evaluations: 'Evaluations today',
    runs: 'Runs today',
    apiCalls: 'API calls today',
  },
  activity: {
    title: 'Activity',
    all: 'All',
    audit: 'Audit log',
    filter: 'Filter the activity by product',
    fresh: (count: number) => `${formatCount(count)} new, show`,
    more: 'Show more',
    empty: 'No changes yet',
    emptyText: 'Every change of flags, Actors, code and accounts appears here, with who made it and why.',
    emptyProduct: (product: string) => `Nothing changed in ${product} among the latest changes.`,
  },
} as const;

function things(count: number): string {
  return count === 1 ? 'One thing waits' : `${formatCount(count)} things wait`;
}
