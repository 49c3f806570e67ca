// The words about the examples.
const KINDS: Readonly<Record<string, string>> = {
  actor: 'Actor',
  'actor-task': 'task',
  'code-reference-repository': 'code references',
  'key-value-store': 'key-value store',
  'request-queue': 'request queue',
};

export const DEMO = {
  name: 'Demo',
  title: 'An example of everything',
  text: 'A shop: a project with flags, an Actor with runs, a repository with issues and a pull request. One click takes it away again.',
  presentTitle: 'The demo is there',
  presentText:
    'Look around, and change what you like. Removing it deletes what it has made, and nothing else.',
  load: 'Load the demo',
  loading: 'The demo is being made…',
  completing: 'Builds and runs are still to come',
  remove: 'Remove the demo',
  removing: 'The demo is being removed…',
  problem: (reason: string) => `The last attempt has failed and is made again: ${reason}`,
  askTitle: 'Remove the demo with what was changed in it?',
  ask: 'Since it was made, this was changed, or has got something new. That is deleted, too:',
  removeAll: 'Remove all of it',
  added: 'changed',
  changedBy: (names: string) => `changed by ${names}`,
  kind: (kind: string) => KINDS[kind] ?? kind,
} as const;
