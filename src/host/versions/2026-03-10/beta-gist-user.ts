// Row 8 of the catalogue, gists: with the beta media type `user` was their owner, and null without.
import { Nullable, Type, type TObject } from '../../../kernel/schema/schema.ts';
import { change, type VersionChange } from '../../../kernel/versions/version.ts';
import { SimpleUser } from '../../owners/model.ts';
import { BETA } from '../select-version.ts';
import { gistHistoryRemoved } from './gist-history-removed.ts';

const version = '2026-03-10';

/** After the change about revisions and forks: a change begins where the one before it ends. */
export const gistUserRemoved: readonly VersionChange[] = gistHistoryRemoved.map(({ before }) =>
  change<TObject, TObject>({
    version,
    title: 'Field `user`, which was always null, removed from gists',
    advice: 'Read `owner`.',
    schema: before as TObject,
    before: Type.Object(
      { ...(before as TObject).properties, user: Type.Null() },
      { $id: (before as { $id: string })['$id'] },
    ),
    down(gist: { user?: unknown }) {
      gist.user = null;
      return gist;
    },
  }),
);

export const betaGistUserRemoved: readonly VersionChange[] = gistUserRemoved.map(({ before }) =>
  change<TObject, TObject>({
    version,
    title: 'Media type `application/vnd.<vendor>.beta+json` without effect: gists have `owner` and no `user`',
    advice: 'Read `owner`, which has the same value in every version.',
    only: BETA,
    schema: before as TObject,
    before: Type.Object(
      { ...(before as TObject).properties, user: Nullable(SimpleUser) },
      { $id: (before as { $id: string })['$id'] },
    ),
    down(gist: { user?: unknown; owner?: unknown }) {
      gist.user = gist.owner ?? null;
      return gist;
    },
  }),
);
