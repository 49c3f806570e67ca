// Row 8 of the catalogue, repositories: with the beta media type they named their default branch twice.
import { Type } from '../../../kernel/schema/schema.ts';
import type { VersionChange } from '../../../kernel/versions/version.ts';
import { BETA } from '../select-version.ts';
import { hasDownloadsRemoved } from './has-downloads-removed.ts';
import { changeRepositories } from './repository-schemas.ts';

export const betaMasterBranchRemoved: readonly VersionChange[] = changeRepositories(hasDownloadsRemoved, {
  title:
    'Media type `application/vnd.<vendor>.beta+json` without effect: repositories have `default_branch` and no `master_branch`',
  advice: 'Read `default_branch`, which has the same value in every version.',
  only: BETA,
  properties: { master_branch: Type.Optional(Type.String()) },
  add(repository) {
    if (repository.default_branch !== undefined) repository.master_branch = repository.default_branch;
  },
});
