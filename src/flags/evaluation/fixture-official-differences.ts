// The cases in which our evaluation differs from the official evaluator on purpose, and why. Tests hold each to be true.
import type { Json } from '../feature-flags/flag.ts';
import type { ClauseData, FlagData, SegmentData } from './data.ts';
import { newClause, newFlagData, newSegmentData } from './fixture.ts';

export interface OfficialDifference {
  what: string;
  why: string;
  /** An example; absent where the official evaluator never ends. */
  example?: { flags: FlagData[]; segments: SegmentData[]; context: Record<string, Json> };
}

const SPECIFIED = 'This is how references are specified, and how SDKs for other languages read them.';

export const DIFFERENCES: OfficialDifference[] = [
  {
    what: 'a reference that ends with a slash is invalid',
    why: `${SPECIFIED} In the middle, an empty part is invalid in all of them.`,
    example: exampleOf({ attribute: '/deep/' }, { deep: { '': 'x' } }),
  },
  {
    what: 'an escape that begins a part of a reference is an escape',
    why: `${SPECIFIED} The official evaluator leaves it as it is.`,
    example: exampleOf({ attribute: '/~0a' }, { '~a': 'x' }),
  },
  {
    what: 'a tilde before a caret or a bar is invalid',
    why: `${SPECIFIED} The official evaluator lists these two characters by mistake.`,
    example: exampleOf({ attribute: '/a~^' }, { 'a~^': 'x' }),
  },
  {
    what: 'a plain name may contain two slashes, or end with a tilde',
    why: `${SPECIFIED} Only a reference that begins with a slash has parts and escapes.`,
    example: exampleOf({ attribute: 'a//b' }, { 'a//b': 'x' }),
  },
  {
    what: '_meta is an attribute that no context has',
    why: 'Private data of SDKs cannot be read, but a rule that tries does not break the flag for everyone.',
    example: exampleOf({ attribute: '_meta' }, {}),
  },
  {
    what: 'no operator has the name of a member of all objects',
    why: 'The official evaluator takes such a name for an operator that always holds.',
    example: exampleOf({ attribute: 'key', op: 'toString' }, {}),
  },
  {
    what: 'a big segment that has no generation yet is asked, and not taken for missing',
    why: 'The server itself knows the members; SDKs find them in a store that others fill.',
    example: {
      flags: [newFlagData({ rules: [ruleOf({ attribute: '', op: 'segmentMatch', values: ['segment'] })] })],
      segments: [newSegmentData({ unbounded: true })],
      context: { kind: 'user', key: 'a' },
    },
  },
  {
    what: 'a big segment that leads back to itself is malformed, like any other segment',
    why: 'The official evaluator forgets the way at a big segment, and goes round for ever.',
  },
  {
    what: 'a comparison that exceeds a limit does not match',
    why: 'Patterns, texts and chains of references are bounded, because nobody may hold up the server (ADR 0023).',
    example: exampleOf({ attribute: 'key', op: 'matches', values: [`a|${'b'.repeat(5000)}`] }, {}),
  },
];

function ruleOf(members: Partial<ClauseData>) {
  return { id: 'r', clauses: [newClause({ values: ['x'], ...members })], variation: 1, trackEvents: false };
}

function exampleOf(clause: Partial<ClauseData>, attributes: Record<string, Json>) {
  return {
    flags: [newFlagData({ rules: [ruleOf(clause)] })],
    segments: [],
    context: { kind: 'user', key: 'a', ...attributes },
  };
}
