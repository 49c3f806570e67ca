// Which things have tags.
import { problem } from '../../kernel/schema.ts';

export const TAGGED = ['flag', 'project', 'environment', 'segment'] as const;
export type TaggedKind = (typeof TAGGED)[number];

/** Clients know of kinds that nothing here has: these have no tags. */
const OTHERS = ['metric', 'aiconfig', 'view'];

/** All kinds when none is asked for. */
export function readKinds(asked: readonly string[] = []): readonly TaggedKind[] {
  for (const kind of asked) {
    if ([...TAGGED, ...OTHERS].includes(kind)) continue;
    throw problem('query.kind', `must be one of ${[...TAGGED, ...OTHERS].join(', ')}`);
  }
  return asked.length === 0 ? TAGGED : TAGGED.filter((kind) => asked.includes(kind));
}
