// Files, folders, symbolic links and submodules of a repository in replies.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { LicenseSimple } from '../licenses/license.ts';

const CONTENT = {
  name: Type.String(),
  path: Type.String(),
  sha: Type.String(),
  size: Type.Integer(),
  url: Type.String(),
  html_url: Nullable(Type.String()),
  git_url: Nullable(Type.String()),
  download_url: Nullable(Type.String()),
};

const LINKS = {
  _links: Type.Object({
    self: Type.String(),
    git: Nullable(Type.String()),
    html: Nullable(Type.String()),
  }),
};

/** In listings of folders. */
export const ContentEntry = Type.Object(
  { ...CONTENT, type: OneOf(['dir', 'file', 'submodule', 'symlink']), ...LINKS },
  { $id: 'content-entry' },
);

/** Looks like an entry of a folder, and is no submodule: changes of those are none of its. */
export const FileInCommit = Type.Object(ContentEntry.properties, { $id: 'written-file' });

export type ContentEntryRep = Static<typeof ContentEntry>;

const FILE_FIELDS = {
  ...CONTENT,
  type: OneOf(['file']),
  content: Type.String({ description: 'In lines of 60 characters; empty for files above 1 MB' }),
  encoding: OneOf(['base64', 'none']),
  ...LINKS,
};

export const ContentFile = Type.Object(FILE_FIELDS, { $id: 'content-file' });

export const LicenseContent = Type.Object(
  { ...FILE_FIELDS, license: Nullable(LicenseSimple) },
  { $id: 'license-content' },
);

export const ContentSymlink = Type.Object(
  { ...CONTENT, type: OneOf(['symlink']), target: Type.String(), ...LINKS },
  { $id: 'content-symlink' },
);

export const ContentSubmodule = Type.Object(
  {
    ...CONTENT,
    type: OneOf(['submodule']),
    submodule_git_url: Type.String({ description: 'Empty where .gitmodules does not name it' }),
    ...LINKS,
  },
  { $id: 'content-submodule' },
);

/** A folder in the media type `object`. */
export const ContentFolder = Type.Object(
  { ...CONTENT, type: OneOf(['dir']), entries: Type.Array(ContentEntry), ...LINKS },
  { $id: 'content-tree' },
);
