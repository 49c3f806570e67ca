// The guides by what people are about to do: the list of the documentation, and where each part begins.
import type { Guide } from './guide.ts';

/** By part, in the order in which they are read. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['install', 'start-flags', 'first-crawl', 'start-code', 'configure', 'move-from-the-cloud'],
  Flags: ['flag-sdks', 'openfeature', 'flag-events'],
  Actors: [
    'run-your-own-actor',
    'actor-builds',
    'actor-tasks',
    'schedules',
    'standby',
    'actor-webhooks',
    'actors-errors',
    'run-actors',
  ],
  Code: [
    'repositories',
    'review-a-change',
    'gists',
    'code-scanning',
    'apps',
    'host-webhooks',
    'upgrade-api-version',
    'host-differences',
  ],
  Operate: ['deploy', 'operate', 'watch', 'backup', 'scale', 'security', 'check-webhooks'],
};

/** A few minutes with each API, by its name. */
export const FIRST_GUIDES: Readonly<Record<string, { name: string; title: string }>> = {
  flags: { name: 'start-flags', title: 'Five minutes with flags' },
  actors: { name: 'first-crawl', title: 'Your first crawl' },
  host: { name: 'start-code', title: 'Five minutes with code' },
};

interface GuideGroup {
  title: string;
  guides: readonly Guide[];
}

/** What belongs to no part stands at the end. */
export function groupGuides(guides: ReadonlyMap<string, Guide>): GuideGroup[] {
  const grouped = new Set(Object.values(GROUPS).flat());
  const rest = [...guides.values()].filter(({ name }) => !grouped.has(name));
  const parts = Object.entries(GROUPS).map(([title, names]) => ({
    title,
    guides: names.flatMap((name) => guides.get(name) ?? []),
  }));
  return [...parts, { title: 'More', guides: rest }].filter((group) => group.guides.length > 0);
}

const SENTENCE = /^.*?[.:](?=\s|$)/s;

/** The first sentence, without marks; empty where the guide begins with something else. */
export function summaryOf({ intro }: Guide): string {
  const [first = ''] = intro.split(/\n\s*\n/, 1);
  if (!/^[A-Z[]/.test(first)) return '';
  const words = first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');
  return (SENTENCE.exec(words)?.[0] ?? words).replace(/:$/, '.');
}
