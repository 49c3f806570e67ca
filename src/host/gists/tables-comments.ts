// The table of comments on gists.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    gist_comments: GistCommentRow;
  }
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
