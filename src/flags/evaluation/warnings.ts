// Warnings about comparisons that exceeded a limit.
import { MOST_TEXT } from './pattern/pattern.ts';
import { Met } from './run.ts';

/** The effect of each limit. */
const WARNINGS: [limit: number, text: string][] = [
  [Met.largePattern, 'A pattern is too large to be tried: it matched nothing.'],
  [Met.longText, `A text is longer than ${MOST_TEXT} characters: no pattern was tried on it.`],
  [
    Met.noSteps,
    'Patterns and lists took more steps than one evaluation has: those that were left matched nothing.',
  ],
];

export function warningsOf(limits: number): string[] {
  return WARNINGS.filter(([limit]) => (limits & limit) !== 0).map(([, text]) => text);
}
