// Looks up the memberships of a context in big segments, which evaluation then reads from memory.
import type { Db } from '../../kernel/storage/tables.ts';
import { keyOf, USER, type Context } from '../evaluation/context.ts';
import type { CompiledEnvironment } from '../evaluation/environment.ts';
import type { EvaluationEnvironment } from '../evaluation/run.ts';
import type { Feed } from './feed.ts';
import { listMemberships } from './store.ts';

/** `compiled` is another state of the feed, where that is evaluated. */
export async function loadBigSegments(
  db: Db,
  { bigSegments, compiled: current }: Pick<Feed, 'bigSegments' | 'compiled'>,
  { parts }: Context,
  compiled: CompiledEnvironment = current,
): Promise<EvaluationEnvironment> {
  if (bigSegments.size === 0) return { ...compiled, bigSegmentInclusion: () => undefined };
  const segments = [...bigSegments.values()];
  const memberships = await listMemberships(
    db,
    segments.map(({ id }) => id),
    [...new Set(Array.from(parts.values(), keyOf))],
  );
  const nameOf = (segmentId: string, contextKey: string) => `${segmentId} ${contextKey}`;
  const inclusions = new Map(
    memberships.map(({ segmentId, contextKey, isIncluded }) => [nameOf(segmentId, contextKey), isIncluded]),
  );
  const inclusionByKey = new Map(
    segments.map(({ id, data: { key, unboundedContextKind = USER } }) => {
      const part = parts.get(unboundedContextKind);
      return [key, part && inclusions.get(nameOf(id, keyOf(part)))];
    }),
  );
  return { ...compiled, bigSegmentInclusion: (key) => inclusionByKey.get(key) };
}
