// Row 3 of the catalogue: listings of folders say which entries are submodules; before, they were called files.
import { OneOf, Type } from '../../../kernel/schema/schema.ts';
import { change } from '../../../kernel/versions/version.ts';
import { ContentEntry } from '../../contents/model.ts';

export const submoduleTypeAdded = change({
  version: '2026-03-10',
  title: 'Submodules in listings of folders have the type `submodule` instead of `file`',
  advice: 'Accept the type `submodule`; `submodule_git_url` says where the submodule comes from.',
  schema: ContentEntry,
  before: Type.Object(
    { ...ContentEntry.properties, type: OneOf(['dir', 'file', 'symlink']) },
    { $id: 'content-entry' },
  ),
  down: (entry) => ({ ...entry, type: entry.type === 'submodule' ? 'file' : entry.type }),
});
