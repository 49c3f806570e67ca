// The words about the calls of a run.
export const CALL_WORDS = {
  label: 'API calls of this run',
  operation: 'Operation',
  calls: 'Calls',
  failed: 'Failed',
  lastStatus: 'Last status',
  last: 'Last call',
  nouns: ['operations', 'operation'],
  total: (calls: string, failed: string) =>
    `${calls} ${calls === '1' ? 'call' : 'calls'} with the token of the run, ${failed} of them failed.`,
  others: 'Further operations',
  unknown: 'Paths without an operation',
  empty: {
    title: 'No API calls',
    running: 'Calls that the run makes with its token are counted here.',
    over: (days: string) =>
      `The run made no call with its token, or the last one was more than ${days} days ago. Runs of older releases have no counts.`,
  },
} as const;
