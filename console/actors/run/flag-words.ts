// The words about the flags that a run has read.
import type { ReadFlag } from './run-flags.tsx';

/** With the value that the program names itself by: each SDK calls the field its own way. */
const SAMPLE = `init(process.env.SDK_KEY, {
  application: { id: process.env.ACTOR_RUN_ID },
});`;

export const FLAG_WORDS = {
  label: 'Flags that this run has read',
  flag: 'Flag',
  value: 'Got',
  why: 'Why',
  reads: 'Reads',
  now: 'Now',
  last: 'Last read',
  nouns: ['values', 'value'],
  codeDefault: 'the default in the code',
  long: 'a long value',
  unsaid: 'not said by the SDK',
  unknownFlag: 'There is no such flag',
  archived: 'Archived',
  off: 'Off',
  on: 'On',
  gone: 'no longer served',
  changed: 'Changed since',
  same: 'Unchanged since',
  serves: 'serves',
  perContext: 'depends on the context',
  hidden: (count: string) =>
    `${count} ${count === '1' ? 'value is' : 'values are'} of flags in projects that you may not view.`,
  further: (count: string) => `${count} reads of further values are not told apart.`,
  about:
    'As the program named itself to the flags API. Counts of SDKs do not say why; evaluations on this server do, and events of single evaluations that ask for reasons.',
  sampleLabel: 'Name the run to the flags API',
  sample: SAMPLE,
  sampleText:
    'Programs read flags with the key of an environment, which says nothing of the run. Where the program gives its SDK the id of the run as that of its application, what it reads is shown here. By OFREP it sends the header X-LaunchDarkly-Tags: application-id/ and the id.',
  empty: {
    title: 'No flags',
    running: 'The run has not named itself to the flags API.',
    over: (days: string) =>
      `The run has not named itself to the flags API, or last read a flag more than ${days} days ago.`,
  },
} as const;

type Reason = NonNullable<ReadFlag['reason']>;

const REASONS: Readonly<Record<Reason['kind'], (reason: Reason) => string>> = {
  OFF: () => 'It was off',
  FALLTHROUGH: () => 'The default rule',
  TARGET_MATCH: () => 'An individual target',
  RULE_MATCH: ({ ruleIndex }) => (ruleIndex === undefined ? 'A rule' : `Rule ${ruleIndex + 1}`),
  PREREQUISITE_FAILED: ({ prerequisiteKey }) =>
    `A prerequisite failed${prerequisiteKey === undefined ? '' : `: ${prerequisiteKey}`}`,
  ERROR: ({ errorKind }) => `An error${errorKind === undefined ? '' : `: ${errorKind}`}`,
};

export function reasonInWords(reason: Reason): string {
  return REASONS[reason.kind](reason);
}
