// The words of the first run.
export const FIRST_RUN = {
  title: 'Three calls, and it runs',
  meta: 'Copy a command and run it in a shell. Each card turns green when its call arrives.',
  makeTokens: 'Put tokens in',
  tokensIn: 'Tokens are in',
  dismiss: 'Dismiss',
  toHome: 'To home',
  scope: (project: string) =>
    `The tokens are in the commands now, one for each. They work for one hour, may read the project “${project}” and your name, and are shown only on this page.`,
  noTokens: 'Put tokens into the commands, or run them where SIGNALBOX_TOKEN is a token of yours.',
  tokensFailed: 'No tokens were made.',
  tokenName: (card: string) => `getting started: ${card}`,
  tokenNames: 'getting started: ',
  allDone: 'All three calls have arrived. This page does not come back by itself.',
  cards: {
    flags: {
      title: 'Read flags',
      text: (project: string) => `Ask for the flags of the project “${project}”.`,
    },
    actors: {
      title: 'Reach the Actors',
      text: () => 'Ask the Actors API who you are, as its clients do first.',
    },
    host: {
      title: 'Reach the code',
      text: () => 'Ask the code host who you are, as its clients do first.',
    },
  },
  client: (card: string) => `Client for: ${card}`,
  clients: { curl: 'curl', javascript: 'JavaScript', python: 'Python', cli: 'CLI' },
  listening: 'Listening for the call…',
  received: 'Received',
  announced: (card: string) => `${card}: the call has arrived`,
  next: {
    title: 'And then',
    actors: 'Import Actors',
    actorsText: 'Actors, tasks, schedules and storages of another server.',
    repository: 'Import a repository',
    repositoryText: 'With its branches and tags, issues and pull requests.',
    invite: 'Invite somebody',
    inviteText: 'A link that works for a week. You choose what they may do.',
    inviteAction: 'Make a link',
  },
} as const;
