// Row 6 of the catalogue: repositories no longer say that they have downloads.
import { Type, type TObject } from '../../../kernel/schema/schema.ts';
import { change, type VersionChange } from '../../../kernel/versions/version.ts';
import { changeRepositories } from './repository-schemas.ts';
import { squashTitleDefaultRemoved, squashTitleDefaultUnsent } from './squash-title-default-removed.ts';

const title = 'Property `has_downloads` removed from repositories';
const advice = 'Do not read or send it: it was always true.';

export const hasDownloadsRemoved: readonly VersionChange[] = changeRepositories(squashTitleDefaultRemoved, {
  title,
  advice,
  properties: { has_downloads: Type.Boolean() },
  add(repository) {
    repository.has_downloads = true;
  },
});

/** Requests that create a repository had it, without effect. */
export const hasDownloadsUnsent: readonly VersionChange[] = squashTitleDefaultUnsent
  .map(({ before }) => before as TObject & { $id: string })
  .filter(({ $id }) => $id === 'repository-creation')
  .map((schema) =>
    change<TObject, TObject>({
      version: '2026-03-10',
      title,
      advice,
      schema,
      before: Type.Object(
        { ...schema.properties, has_downloads: Type.Optional(Type.Boolean()) },
        { $id: schema.$id },
      ),
      up: ({ has_downloads: _hasDownloads, ...sent }: { has_downloads?: boolean }) => sent,
    }),
  );
