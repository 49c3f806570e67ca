// Where the files of a difference are found, before it and after it.
import type { DiffContext, DiffMode } from '../diff/diff-file.ts';
import { rawCall } from '../files/files-queries.ts';
import { blobHref, type RepositoryPlace } from '../place.ts';

export function diffContext(
  place: RepositoryPlace,
  mode: DiffMode,
  before: string | undefined,
  after: string,
): DiffContext {
  return {
    mode,
    hrefOf: ({ filename }) => blobHref(place, after, filename),
    bytesOf({ filename, previous_filename: old = filename }, side) {
      if (side === 'RIGHT') return rawCall(place, after, filename);
      return before === undefined ? undefined : rawCall(place, before, old);
    },
  };
}
