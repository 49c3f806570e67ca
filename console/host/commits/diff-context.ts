// Where the files of a difference are found, before it and after it.
import { useMemo } from 'react';
import type { DiffContext, DiffMode } from '../diff/diff-file.ts';
import { rawCall } from '../files/files-queries.ts';
import { blobHref, type RepositoryPlace } from '../place.ts';

/** The same while nothing of it changes, so that files that are drawn stay as they are. */
export function useDiffContext(
  { owner, repo }: RepositoryPlace,
  mode: DiffMode,
  before: string | undefined,
  after: string,
): DiffContext {
  return useMemo(() => {
    const place = { owner, repo };
    return {
      mode,
      hrefOf: ({ filename }) => blobHref(place, after, filename),
      bytesOf({ filename, previous_filename: old = filename }, side) {
        if (side === 'RIGHT') return rawCall(place, after, filename);
        return before === undefined ? undefined : rawCall(place, before, old);
      },
    };
  }, [owner, repo, mode, before, after]);
}
