// The kinds of resources that have tags.
import { problem } from '../../kernel/schema/schema.ts';

export const TAGGED_KINDS = ['flag', 'project', 'environment', 'segment'] as const;
export type TaggedKind = (typeof TAGGED_KINDS)[number];

/** Kinds that clients know, but that do not exist here. */
const OTHER_KINDS = ['metric', 'aiconfig', 'view'];

/** Returns all kinds if none is requested. */
export function readKinds(asked: readonly string[] = []): readonly TaggedKind[] {
  for (const kind of asked) {
    if ([...TAGGED_KINDS, ...OTHER_KINDS].includes(kind)) continue;
    throw problem('query.kind', `must be one of ${[...TAGGED_KINDS, ...OTHER_KINDS].join(', ')}`);
  }
  return asked.length === 0 ? TAGGED_KINDS : TAGGED_KINDS.filter((kind) => asked.includes(kind));
}
