// Warnings about comparisons that exceeded a limit.
import { MAX_TEXT } from './pattern/pattern.ts';
import { Notice } from './run.ts';

/** The effect of each limit. */
const WARNINGS: [limit: number, text: string][] = [
  [Notice.largePattern, 'A pattern is too large to be tried: it matched nothing.'],
  [Notice.longText, `A text is longer than ${MAX_TEXT} characters: no pattern was tried on it.`],
  [
    Notice.noSteps,
    'Patterns and lists took more steps than one evaluation has: those that were left matched nothing.',
  ],
];

export function warningsOf(limits: number): string[] {
  return WARNINGS.filter(([limit]) => (limits & limit) !== 0).map(([, text]) => text);
}
