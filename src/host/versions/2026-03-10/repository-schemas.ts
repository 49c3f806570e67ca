// The schemas that show a repository, for changes that are about all of them.
import { Type, type Static, type TObject, type TSchema } from '../../../kernel/schema/schema.ts';
import { change, type VersionChange } from '../../../kernel/versions/version.ts';
import { FullRepository, MinimalRepository, NestedRepository } from '../../repositories/model.ts';
import { TeamRepository } from '../../teams/model.ts';

/** Those that show how pull requests are merged. */
const WITH_MERGING = [NestedRepository, FullRepository, TeamRepository];
const WITHOUT_MERGING = [MinimalRepository];

/** With the properties that it has in older versions alone. */
type OldRepository = Partial<Static<typeof NestedRepository>> & {
  use_squash_pr_title_as_default?: boolean;
  has_downloads?: boolean;
  master_branch?: string;
};

/** What the repositories of older versions have more. */
interface MoreProperties {
  title: string;
  advice: string;
  only?: string;
  properties: Record<string, TSchema>;
  /** Sets them, each by its name: with `Object.assign`, conversion and JSON took a third longer. */
  add(repository: OldRepository): void;
}

export function changeMerging(more: MoreProperties): VersionChange[] {
  return addProperties(WITH_MERGING, more);
}

/** After the changes about merging: a change begins where the one before it ends. */
export function changeRepositories(before: readonly VersionChange[], more: MoreProperties): VersionChange[] {
  const changed = before.map((one) => one.before as TObject);
  const ids = new Set(changed.map(idOf));
  const others = [...WITH_MERGING, ...WITHOUT_MERGING].filter((schema) => !ids.has(idOf(schema)));
  return addProperties([...changed, ...others], more);
}

function addProperties(
  schemas: readonly TObject[],
  { title, advice, only, properties, add }: MoreProperties,
): VersionChange[] {
  return schemas.map((schema) =>
    change<TObject, TObject>({
      version: '2026-03-10',
      title,
      advice,
      ...(only !== undefined && { only }),
      schema,
      before: Type.Object({ ...schema.properties, ...properties }, { $id: idOf(schema) }),
      // Added to the reply itself, which was made for this call alone: a copy takes as long as to make the reply.
      down(repository) {
        add(repository);
        return repository;
      },
    }),
  );
}

function idOf(schema: TSchema): string {
  return (schema as { $id: string }).$id;
}
