// A segment for tests.
import type { Segment } from './segment.ts';

export function newSegment(members: Partial<Segment> = {}): Segment {
  return {
    id: '0'.repeat(24),
    environmentId: '1'.repeat(24),
    key: 'beta',
    name: 'Beta',
    tags: [],
    included: [],
    excluded: [],
    includedContexts: [],
    excludedContexts: [],
    rules: [],
    salt: 'salt',
    unbounded: false,
    includedCount: 0,
    excludedCount: 0,
    version: 1,
    generation: 1,
    createdAt: 1000,
    modifiedAt: 1000,
    ...members,
  };
}

/** `id-1`, `id-2` and so on. */
export function countingIds(): () => string {
  let count = 0;
  return () => `id-${(count += 1)}`;
}
