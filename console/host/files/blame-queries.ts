// Who wrote the lines of a file, read in ranges of lines.
import { path as pathOf, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { Blame } from '../../api/types/signalbox.ts';
import type { RepositoryPlace } from '../place.ts';
import { TOPICS } from '../queries.ts';

export type BlameBlock = Blame['blocks'][number];
export type BlameCommit = Blame['commits'][number];

/** The most that a call answers for: each walks the history anew. */
const RANGE = 1000;

export interface BlamedFile extends RepositoryPlace {
  gitRef: string;
  path: string;
}

/** Of the range that the line is in. */
export function useBlame({ owner, repo, gitRef, path }: BlamedFile, line: number) {
  const from = Math.floor((line - 1) / RANGE) * RANGE + 1;
  const call: Call = {
    api: 'signalbox',
    path: pathOf`/repositories/${owner}/${repo}/blame`,
    query: { ref: gitRef, path, from, to: from + RANGE - 1 },
  };
  return useRead<Blame>({ call, topics: TOPICS });
}
