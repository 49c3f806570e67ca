// The header If-Match of patches: the version that the caller has read. A patch of another version changes nothing.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/http/route.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { Type } from '../../kernel/schema/schema.ts';

/** For the `headers` of routes. */
export const IfMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description:
        'The `version` that was read, in quotes: `"7"`. If it has another version by now, nothing changes and the answer is 409. ' +
        'Several joined by commas: one of them. `*`: any',
    }),
  ),
});

const TAG = /^(?:W\/)?"([1-9]\d{0,14}|0)"$/;

/** Each call that reads versions compares them with all of these. */
const MAX_TAGS = 100;

/** The versions that the patch may change; undefined where it may change any. */
export function readIfMatch({ headers }: Pick<Call, 'headers'>): readonly number[] | undefined {
  const text = [headers['if-match'] ?? []].flat().join(',').trim();
  if (headers['if-match'] === undefined || text === '*') return undefined;
  const tags = text.split(',').map((tag) => TAG.exec(tag.trim())?.[1]);
  if (tags.length <= MAX_TAGS && tags.every((tag) => tag !== undefined)) return tags.map(Number);
  throw new Failure(
    'malformed',
    `The header If-Match must be the version that was read, in quotes, such as "7", or *, not ${shorten(text)}.`,
  );
}

/** The failure is that of a JSON patch whose test of `/version` fails. */
export function requireVersion(
  expected: readonly number[] | undefined,
  { kind, version }: { kind: 'flag' | 'segment'; version: number },
): void {
  if (expected === undefined || expected.includes(version)) return;
  throw new Failure(
    'conflict',
    `The ${kind} was changed by somebody else: it is at version ${version} now, and If-Match names ${expected.slice(0, 3).join(', ')}. Read it again.`,
  );
}
