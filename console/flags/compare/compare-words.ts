// The words of comparing and copying environments.
const counted = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

/** `test`, `test and staging`, `test, staging and canary`. */
function listed(keys: readonly string[]): string {
  const last = keys.at(-1) ?? '';
  return keys.length < 2 ? last : `${keys.slice(0, -1).join(', ')} and ${last}`;
}

export const COMPARE = {
  title: 'Compare environments',
  flags: 'Flags',
  text: 'Flags that are not the same in two environments, and only what differs. What is ticked can be copied.',
  from: 'From',
  to: 'To',
  swap: 'Swap',
  same: 'Choose two different environments.',
  table: 'Flags that differ',
  nouns: ['flags', 'flag'],
  columns: { flag: 'Flag', parts: 'What differs' },
  copyKey: (key: string) => `Copy key ${key}`,
  parts: {
    on: 'Switch',
    prerequisites: 'Prerequisites',
    targets: 'Individual targets',
    rules: 'Rules',
    fallthrough: 'Default rule',
    offVariation: 'When off',
    migrationSettings: 'Migration settings',
  } as Readonly<Record<string, string>>,
  differs: (from: string, here: string, to: string, there: string) =>
    here === there ? `${from} and ${to}: ${here}, not the same` : `${from}: ${here} · ${to}: ${there}`,
  ofFlag: (name: string) => `of ${name}`,
  equal: {
    title: (from: string, to: string) => `${from} and ${to} are the same`,
    text: 'No flag of the project differs in them.',
  },
  needTwo: {
    title: 'Nothing to compare',
    text: 'Choose the environment that is the model, and the one that is compared with it.',
  },
  onlyOne: {
    title: 'The project has one environment',
    text: 'With a second one, the two can be compared here.',
  },
  targets: 'Copy to',
  targetsOf: (keys: readonly string[]) => (keys.length === 0 ? 'Copy to…' : `To: ${listed(keys)}`),
  ticked: (parts: number, flags: number) =>
    `${counted(parts, 'part', 'parts')} of ${counted(flags, 'flag', 'flags')}`,
  copy: (from: string, to: readonly string[]) => `Copy from ${from} to ${listed(to)}…`,
  noTarget: 'Choose first where to copy to.',
  tooManyFlags: (most: number) => `At most ${most} flags can be copied at once.`,
  tooManyTargets: (most: number) => `At most ${most} environments can be copied to at once.`,
} as const;

export const COPY = {
  button: 'Copy targeting to…',
  target: 'Where to copy to',
  draftFirst: 'Save or discard your changes first: what is saved is copied.',
  title: (from: string, to: readonly string[]) => `Copy from ${from} to ${listed(to)}`,
  text: 'This is what would change. Nothing is written yet.',
  nothing: 'Nothing would change: it is so already.',
  comment: 'Comment',
  commentRequired: (keys: readonly string[]) => `required for ${listed(keys)}`,
  commentFirst: 'Write a comment first.',
  conflicts: 'Copy even where a planned change could then no longer be made',
  wait: 'Please wait until the difference is shown.',
  confirm: (changes: number, from: string, to: readonly string[]) =>
    `Copy ${counted(changes, 'configuration', 'configurations')} from ${from} to ${listed(to)}`,
  done: 'Copied',
  doneTitle: (from: string, to: readonly string[]) => `Copied from ${from} to ${listed(to)}`,
  changed: 'changed',
  wouldChange: 'changes',
  unchanged: 'stays as it is',
  refused: 'not changed',
  needsApproval: 'needs approval',
  wouldRefuse: 'cannot be changed',
  skipped: (number: number) =>
    `${counted(number, 'configuration is', 'configurations are')} left out for the reasons below.`,
  close: 'Close',
  noneChanged: 'Nothing can be copied: the reasons stand beside each flag.',
  in: (environment: string) => `In ${environment}`,
} as const;
