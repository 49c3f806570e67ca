// The words of the list of Actors.
export const ACTORS_WORDS = {
  actors: 'Actors',
  table: 'Actors',
  nouns: ['Actors', 'Actor'],
  actor: 'Actor',
  lastRun: 'Last run',
  lastRuns: 'Last 30 runs',
  runs: 'Runs',
  builds: 'Builds',
  modified: 'Changed',
  never: 'never',
  noRuns: 'No runs',
  strip: (count: string, bad: string) => `Last ${count} runs, ${bad} without success`,
  create: 'New Actor',
  empty: {
    title: 'There are no Actors yet',
    text: 'An Actor is a program that this server keeps, builds, starts and watches.',
  },
  createDialog: {
    title: 'New Actor',
    text: 'It begins with a small program that can be built and run at once.',
    name: 'Name',
    nameHelp: '3 to 63 letters, digits and hyphens.',
    titleField: 'Title',
    confirm: 'Create the Actor',
  },
} as const;
