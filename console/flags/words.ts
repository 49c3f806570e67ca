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
  filter: 'Filter flags',
  placeholder: 'Filter by name or key',
  project: 'Project',
  environments: 'Environments',
  table: 'Flags',
  nouns: ['flags', 'flag'],
  flag: 'Flag',
  type: 'Type',
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
  empty: {
    title: 'This project has no flags yet',
    text: 'A flag turns a part of your program on or off, for everybody or for some, without a new release.',
  },
  noMatch: {
    title: 'No flag fits this filter',
    text: 'The filter looks for a part of the name or of the key.',
    clear: 'Clear the filter',
  },
  listNext:
    'Switching and creating flags here comes with the next release; today the API and the CLI do both.',
  flagNext:
    'Editing targeting, variations and tags here comes with the next release; today the API and the CLI do it.',
  temporary: 'temporary',
  permanent: 'permanent',
  critical: 'critical',
  archived: 'archived',
  deprecated: 'deprecated',
  noDescription: 'No description.',
  variations: 'Variations',
  variation: 'Variation',
  value: 'Value',
  description: 'Description',
  environment: 'Environment',
  state: 'State',
  serves: 'Serves',
  whenOff: 'When off',
  about: 'About',
  maintainer: 'Maintainer',
  nobody: 'nobody',
  created: 'Created',
  lifetime: 'Lifetime',
  key: 'Key',
  none: 'none',
  history: 'Activity',
  noHistory: 'Nothing of it is recorded, or you may not see it.',
  server: 'The server',
  auditEntry: 'Audit entry',
  byToken: (name: string) => `with the token ${name}`,
} as const;
