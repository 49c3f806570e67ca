// The words of the page of rate limits.
const many = (count: number, one: string) => `${count.toLocaleString()} ${one}${count === 1 ? '' : 's'}`;

const API_NAMES: Readonly<Record<string, string>> = {
  flags: 'Flags',
  actors: 'Actors',
  host: 'Code',
  signalbox: 'Account',
};

export const LIMITS = {
  code: 'Code',
  title: 'Rate limits',
  text: 'How many calls the server still takes from you in each window, and who spends them.',
  off: { title: 'This server does not limit calls', text: 'Its settings switch rate limits on.' },
  now: 'Now',
  table: 'Limits in use',
  columns: {
    limit: 'Limit',
    budget: 'Shared by',
    used: 'Used',
    remaining: 'Left',
    reset: 'Resets in',
    forecast: 'At this rate',
  },
  budgets: { tokens: 'your tokens', browser: 'your browsers', program: 'this program' },
  api: (api: string) => API_NAMES[api] ?? api,
  used: (used: string, limit: string) => `${used} of ${limit}`,
  meter: (name: string) => `Used of ${name}`,
  window: (seconds: number) => (seconds === 3600 ? 'an hour' : seconds === 60 ? 'a minute' : `${seconds} s`),
  per: (limit: string, window: string) => `${limit} in ${window}`,
  spent: (time: string) => `spent at ${time}`,
  empty: 'spent now',
  lasts: 'lasts until it resets',
  soon: 'too early to say',
  none: {
    title: 'Nothing is used now',
    text: 'No window is open: no token of yours has made a call lately.',
  },
  spenders: 'Who spends',
  spendersText: 'Calls of the last 24 hours by token. Personal tokens share the limits of their owner.',
  tokens: 'Tokens with calls in the last 24 hours',
  token: {
    name: 'Token',
    hour: 'This hour',
    day: 'Last 24 hours',
    refused: 'Refused',
    categories: 'By limit',
  },
  noTokens: {
    title: 'No token made a call in the last 24 hours',
    text: 'A call is counted some seconds after it.',
  },
  everyone: "Everyone's tokens",
  own: 'Your tokens',
  whose: 'Whose tokens',
  unnamed: 'without a name',
  spark: (calls: number) => `${many(calls, 'call')} in the last 24 hours`,
  more: (count: number) => `Only the newest ${count} tokens are looked through.`,
  calls: (name: string, calls: string) => `${name}: ${calls}`,
} as const;
