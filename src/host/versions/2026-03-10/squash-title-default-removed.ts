// Row 5 of the catalogue: repositories have `squash_merge_commit_title` instead of `use_squash_pr_title_as_default`.
import { Type, type TObject } from '../../../kernel/schema/schema.ts';
import { change, type VersionChange } from '../../../kernel/versions/version.ts';
import { RepositoryCreation, RepositoryPatch } from '../../repositories/requests.ts';
import { changeMerging } from './repository-schemas.ts';

const title =
  'Property `use_squash_pr_title_as_default` removed from repositories; use `squash_merge_commit_title` instead';
const advice =
  'Read and send `squash_merge_commit_title`: `PR_TITLE` stands for true, `COMMIT_OR_PR_TITLE` for false.';
const properties = { use_squash_pr_title_as_default: Type.Optional(Type.Boolean()) };

/** Only callers who may push see either property. */
export const squashTitleDefaultRemoved: readonly VersionChange[] = changeMerging({
  title,
  advice,
  properties,
  add(repository) {
    const { squash_merge_commit_title: words } = repository;
    if (words !== undefined) repository.use_squash_pr_title_as_default = words === 'PR_TITLE';
  },
});

interface OldRequest {
  use_squash_pr_title_as_default?: boolean;
  squash_merge_commit_title?: string;
}

/** Where a request has both, the new property counts. */
export const squashTitleDefaultUnsent: readonly VersionChange[] = [
  { schema: RepositoryCreation as TObject, $id: 'repository-creation' },
  { schema: RepositoryPatch as TObject, $id: 'repository-patch' },
].map(({ schema, $id }) =>
  change<TObject, TObject>({
    version: '2026-03-10',
    title,
    advice,
    schema,
    before: Type.Object({ ...schema.properties, ...properties }, { $id }),
    up({ use_squash_pr_title_as_default: isTitle, ...sent }: OldRequest) {
      if (isTitle === undefined || sent.squash_merge_commit_title !== undefined) return sent;
      return { ...sent, squash_merge_commit_title: isTitle ? 'PR_TITLE' : 'COMMIT_OR_PR_TITLE' };
    },
  }),
);
