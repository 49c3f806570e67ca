// Row 10 of the catalogue: gists no longer have their revisions and forks in them.
import { Nullable, Type, type TObject } from '../../../kernel/schema/schema.ts';
import { change, type VersionChange } from '../../../kernel/versions/version.ts';
import {
  BaseGist,
  GIST_PAST,
  GistCommit,
  GistFork,
  GistForkInList,
  GistSimple,
  type WithGistPast,
} from '../../gists/model.ts';

const declared = {
  version: '2026-03-10',
  title: 'Fields `history` and `forks` removed from gists',
  advice: 'Read the revisions from `commits_url` and the forks from `forks_url`.',
};

function down(gist: Record<string, unknown>): Record<string, unknown> {
  const past = (gist as WithGistPast)[GIST_PAST];
  // Added to the reply itself, which was made for this call alone.
  gist['history'] = past?.history ?? [];
  gist['forks'] = past?.forks ?? [];
  return gist;
}

export const gistHistoryRemoved: readonly VersionChange[] = [
  change<TObject, TObject>({
    ...declared,
    schema: BaseGist,
    before: Type.Object(
      { ...BaseGist.properties, history: Type.Array(GistCommit), forks: Type.Array(GistForkInList) },
      { $id: 'base-gist' },
    ),
    down,
  }),
  change<TObject, TObject>({
    ...declared,
    schema: GistSimple,
    before: Type.Object(
      {
        ...GistSimple.properties,
        history: Nullable(Type.Array(GistCommit)),
        forks: Nullable(Type.Array(GistFork)),
      },
      { $id: 'gist-simple' },
    ),
    down,
  }),
];
