// The tables of gists: their rows, their revisions and their stars.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    gist_comments: GistCommentRow;
    gists: GistRow;
    gist_revisions: GistRevisionRow;
    gist_stars: GistStarRow;
  }
}

export interface GistRow {
  /** Names its folder. */
  number: Generated<number>;
  /** 32 hexadecimal digits that cannot be guessed: its name in addresses. */
  id: string;
  owner_id: string;
  description: string | null;
  is_public: number;
  /** The gist that it was forked from. */
  parent_number: number | null;
  comment_count: number;
  star_count: number;
  fork_count: number;
  /** The files of the newest revision, as JSON. */
  files: string;
  /** The newest revision that is recorded; null while the gist is being created. */
  head: string | null;
  /** The position of the newest revision; the oldest has 1. */
  revision_count: number;
  created_at: number;
  updated_at: number;
  /** Set while it is being created or removed: it is found by nobody. */
  deleted_at: number | null;
  /** As that of a repository. */
  inflated_bytes: Generated<number>;
}

export interface GistRevisionRow {
  gist_number: number;
  /** The oldest has 1. */
  position: number;
  sha: string;
  /** Who has written or pushed it, where that is known. */
  author_id: string | null;
  committed_at: number;
  additions: number;
  deletions: number;
}

export interface GistStarRow {
  account_id: string;
  gist_number: number;
  created_at: number;
}

export interface GistCommentRow {
  number: Generated<number>;
  gist_number: number;
  author_id: string;
  /** Markdown. */
  body: string;
  created_at: number;
  updated_at: number;
}
