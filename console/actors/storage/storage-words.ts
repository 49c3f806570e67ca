// The words of all pages of storages.
import type { GeneralAccess, StorageKind } from './storage.ts';

export const KIND_WORDS: Readonly<
  Record<StorageKind, { many: string; one: string; nouns: readonly [string, string]; what: string }>
> = {
  datasets: {
    many: 'Datasets',
    one: 'dataset',
    nouns: ['datasets', 'dataset'],
    what: 'A dataset is a list of results: runs add items to its end, and you export them as a table.',
  },
  stores: {
    many: 'Key-value stores',
    one: 'key-value store',
    nouns: ['key-value stores', 'key-value store'],
    what: 'A key-value store holds files of any type by their keys: inputs, outputs, screenshots.',
  },
  queues: {
    many: 'Request queues',
    one: 'request queue',
    nouns: ['request queues', 'request queue'],
    what: 'A request queue holds the addresses that a crawl still has to visit, and those that it has visited.',
  },
};

export const ACCESS_WORDS: Readonly<Record<GeneralAccess, { label: string; text: string }>> = {
  FOLLOW_USER_SETTING: {
    label: 'As the account says',
    text: 'Only you, unless the account shares everything.',
  },
  RESTRICTED: { label: 'Only you', text: 'Others need a signed link.' },
  ANYONE_WITH_ID_CAN_READ: {
    label: 'Anyone with the id can read',
    text: 'No token is needed. Ids are hard to guess, but links get around.',
  },
  ANYONE_WITH_NAME_CAN_READ: {
    label: 'Anyone with the name can read',
    text: 'No token is needed, and names are easy to guess.',
  },
};

export const WORDS = {
  storage: 'Storage',
  kinds: 'Kinds of storage',
  filter: 'Filter by name or id',
  name: 'Name',
  unnamed: 'Unnamed',
  unnamedToo: 'Unnamed too',
  show: 'Which are shown',
  items: 'Items',
  requests: 'Requests',
  pending: 'Pending',
  size: 'Size',
  modified: 'Modified',
  created: 'Created',
  run: 'From run',
  access: 'Access',
  actions: (name: string) => `Actions for ${name}`,
  create: (kind: string) => `New ${kind}`,
  createShort: 'Create',
  nameHelp: 'Letters, digits and hyphens. Without a name it can be deleted once nobody uses it any more.',
  badName: 'Use 1 to 63 letters and digits, with hyphens only inside.',
  nameTaken: (kind: string) => `You have a ${kind} of this name already.`,
  openIt: 'Open it',
  none: (many: string) => `There are no ${many.toLowerCase()} yet`,
  noNamed: (many: string) => `No ${many.toLowerCase()} have a name`,
  noNamedText: 'Those of runs have none. Show them too, or create one with a name.',
  showUnnamed: 'Show unnamed ones',
  noMatch: {
    title: 'No name begins so',
    text: 'The beginnings of words of a name are found, and whole ids.',
    clear: 'Clear the filter',
  },
  firstHits: (count: string) => `The first ${count} that fit. Type more to find others.`,
  settings: 'Settings',
  titleLabel: 'Title',
  titleHelp: 'What is shown in place of the name.',
  save: 'Save',
  saved: 'Saved',
  remove: 'Delete',
  removeTitle: (kind: string, name: string) => `Delete the ${kind} ${name}?`,
  removeText: 'All that it holds goes with it. This cannot be undone.',
  removeItems: (count: string) => `${count} items are deleted.`,
  removeRequests: (count: string, pending: string) =>
    `${count} requests are deleted, ${pending} of which nobody has handled yet.`,
  removeRecords: (size: string) => `All records are deleted, ${size} in all.`,
  removeLinks: 'Links that you have shared stop working.',
  removeRun: (id: string) => `The run ${id} was created with it, and loses this part of its output.`,
  removeLabel: (kind: string) => `Delete this ${kind}`,
  removed: (name: string) => `${name} was deleted`,
  noSuchKind: 'There is no such kind of storage',
  noSuchKindText: 'There are datasets, key-value stores and request queues.',
  copyId: 'Copy the id',
  id: 'Id',
  details: 'Details',
  lastUsed: 'Last used',
  share: 'Share',
} as const;
