// The words of the pages of runs.

/** What started a run. */
const ORIGINS: Readonly<Record<string, string>> = {
  API: 'API',
  ACTOR: 'An Actor',
  CLI: 'CLI',
  DEVELOPMENT: 'Development',
  SCHEDULER: 'A schedule',
  STANDBY: 'A request in standby',
  TEST: 'A test',
  WEB: 'Web',
  WEBHOOK: 'A webhook',
};

/** What another release records is shown as it is. */
export function originWord(origin: string): string {
  return ORIGINS[origin] ?? origin;
}

export const WORDS = {
  runs: 'Runs',
  table: 'Runs',
  nouns: ['runs', 'run'],
  statusFilter: 'Status',
  status: 'Status',
  actor: 'Actor',
  started: 'Started',
  duration: 'Duration',
  origin: 'Started by',
  build: 'Build',
  empty: {
    title: 'There are no runs yet',
    text: 'A run is one execution of an Actor: a program that this server keeps, starts and watches.',
  },
} as const;
