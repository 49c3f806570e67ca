// A gist: a small git repository of files, with an owner.

export interface Gist {
  number: number;
  id: string;
  ownerId: string;
  description: string | null;
  isPublic: boolean;
  parentNumber: number | null;
  commentCount: number;
  starCount: number;
  forkCount: number;
  files: readonly GistFile[];
  /** The newest revision that is recorded. */
  head: string;
  revisionCount: number;
  createdAt: number;
  updatedAt: number;
}

export interface GistFile {
  name: string;
  size: number;
  /** The id of its content. */
  oid: string;
}

export interface GistRevision {
  sha: string;
  /** The account that has written it, where that is known. */
  authorId: string | null;
  committedAt: number;
  additions: number;
  deletions: number;
}

/** The branch that every gist has. */
export const GIST_BRANCH = 'main';
export const GIST_REF = `refs/heads/${GIST_BRANCH}`;

/** Limits of what calls may write; a push is limited by its size. */
export const MAX_GIST_FILES = 300;
export const MAX_DESCRIPTION = 1000;
export const MAX_FILE_NAME = 255;
/** Longer contents are cut in replies: the whole file is at its `raw_url`. */
export const MAX_SHOWN_BYTES = 1024 ** 2;

export function isGistId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
