// Row 6 of the catalogue: repositories no longer say that they have downloads.
import { Type } from '../../../kernel/schema.ts';
import type { VersionChange } from '../../../kernel/version.ts';
import { changeRepositories } from './repository-schemas.ts';
import { squashTitleDefaultRemoved } from './squash-title-default-removed.ts';

export const hasDownloadsRemoved: readonly VersionChange[] = changeRepositories(squashTitleDefaultRemoved, {
  title: 'Property `has_downloads` removed from repositories',
  advice: 'Do not read or send it: it was always true.',
  properties: { has_downloads: Type.Boolean() },
  from: () => ({ has_downloads: true }),
});
