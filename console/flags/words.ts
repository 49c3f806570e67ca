// The words of the pages of flags.
export type FlagType = 'boolean' | 'string' | 'number' | 'json';

export const FLAG_TYPES: Readonly<Record<FlagType, string>> = {
  boolean: 'Boolean',
  string: 'Text',
  number: 'Number',
  json: 'JSON',
};

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

export const WORDS = {
  flags: 'Flags',
  environments: 'Environments',
  table: 'Flags',
  nouns: ['flags', 'flag'],
  flag: 'Flag',
  tags: 'Tags',
  modified: 'Modified',
  copyKey: (key: string) => `Copy key ${key}`,
  on: 'On',
  off: 'Off',
  absent: 'Not here',
  rules: (number: number) => count(number, 'rule', 'rules'),
  targets: (number: number) => count(number, 'target', 'targets'),
  prerequisites: (number: number) => count(number, 'prerequisite', 'prerequisites'),
  nothing: 'the default of the code',
  percent: (share: number) => `${share} %`,
  moreTags: (number: number) => `+${number}`,
  noProjects: {
    title: 'There is no project that you may see',
    text: 'Flags live in projects. An administrator can create one, or let you see one.',
  },
  temporary: 'temporary',
  archived: 'archived',
  deprecated: 'deprecated',
  variation: 'Variation',
  value: 'Value',
  description: 'Description',
  state: 'State',
  serves: 'Serves',
  maintainer: 'Maintainer',
  nobody: 'nobody',
} as const;
