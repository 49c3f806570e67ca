// Which things have tags.
import { problem } from '../../kernel/schema.ts';

export const TAGGED_KINDS = ['flag', 'project', 'environment', 'segment'] as const;
export type TaggedKind = (typeof TAGGED_KINDS)[number];

/** Clients know of kinds that nothing here has: these have no tags. */
const OTHER_KINDS = ['metric', 'aiconfig', 'view'];

/** All kinds when none is asked for. */
export function readKinds(asked: readonly string[] = []): readonly TaggedKind[] {
  for (const kind of asked) {
    if ([...TAGGED_KINDS, ...OTHER_KINDS].includes(kind)) continue;
    throw problem('query.kind', `must be one of ${[...TAGGED_KINDS, ...OTHER_KINDS].join(', ')}`);
  }
  return asked.length === 0 ? TAGGED_KINDS : TAGGED_KINDS.filter((kind) => asked.includes(kind));
}
