// The words of the upgrade report.
export const UPGRADE = {
  title: 'Upgrade report',
  text: 'Calls that were made under older versions of the code API, and that a newer one would change.',
  target: 'Version to move to',
  whose: 'Whose calls',
  own: 'Your calls',
  everyone: "Everyone's calls",
  state: 'State',
  states: { open: 'To do', done: 'Done', all: 'All' },
  table: 'Calls that would change',
  columns: { call: 'Call', changes: 'What changes', calls: 'Calls', seen: 'Last seen', done: 'Done' },
  under: (version: string, caller: string) => `${version}, ${caller}`,
  mark: 'Mark as done',
  markOf: (call: string) => `Mark as done: ${call}`,
  undo: 'Not done',
  undoOf: (call: string) => `Not done: ${call}`,
  doneBy: (name: string) => `by ${name}`,
  copy: 'Copy as text of an issue',
  copied: 'Copied',
  nouns: ['kinds of calls', 'kind of calls'],
  ready: 'Ready to switch',
  readyText: 'No recorded call would change. Send this header to use the version:',
  nothingLeft: {
    title: 'Nothing is left to do',
    text: 'What was marked as done comes back when such a call is made again.',
  },
  nothingDone: {
    title: 'Nothing is marked as done',
    text: 'Mark calls as done when the program that makes them was mended.',
  },
  unrecorded: (count: string) =>
    `${count} calls on this server were not recorded for lack of memory: some may be missing here.`,
  counted: (days: number) =>
    `Counted are successful calls; those last seen more than ${days} days ago are forgotten.`,
} as const;
