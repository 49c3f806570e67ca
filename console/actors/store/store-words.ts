// The words of the store.
export const STORE_WORDS = {
  store: 'Store',
  text: 'Actors that are shared with everybody on this server.',
  filter: 'Search names, descriptions and READMEs',
  sort: 'Order',
  sorts: {
    relevance: 'Best match first',
    popularity: 'Most runs first',
    newest: 'Newest first',
    lastUpdate: 'Last changed first',
  },
  nouns: ['Actors', 'Actor'],
  open: 'Open and run',
  by: 'By',
  runs: (count: string) => `${count} ${count === '1' ? 'run' : 'runs'}`,
  users: (count: string) => `${count} ${count === '1' ? 'user' : 'users'}`,
  lastRun: 'last run',
  successRate: (percent: string) => `${percent} % of the last runs succeeded`,
  usually: (time: string) => `usually ${time}`,
  noText: 'It has no description.',
  empty: {
    title: 'No Actor is shared yet',
    text: 'An Actor whose owner makes it public can be found and run by everybody here.',
  },
  noMatch: {
    title: 'No Actor fits these words',
    text: 'Beginnings of words are found too.',
    clear: 'Clear the search',
  },
} as const;
