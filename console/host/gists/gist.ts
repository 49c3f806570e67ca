// Gists as the host API has them.
import type { Person } from '../issues/issue.ts';

export interface GistFile {
  filename: string;
  language?: string;
  raw_url: string;
  size: number;
  /** Whether `content` is only its beginning. */
  truncated?: boolean;
  /** Absent in lists. */
  content?: string;
  /** `base64` for what is no text. */
  encoding?: string;
}

export interface Gist {
  id: string;
  public: boolean;
  description: string | null;
  comments: number;
  created_at: string;
  updated_at: string;
  git_pull_url: string;
  owner: Person;
  files: Record<string, GistFile>;
  /** It has more files than are listed. */
  truncated: boolean;
  fork_of?: Pick<Gist, 'id' | 'owner' | 'description' | 'files'> | null;
}

export interface GistRevision {
  version: string;
  user: Person | null;
  change_status: { additions: number; deletions: number };
  committed_at: string;
}

export function filesOf({ files }: Pick<Gist, 'files'>): GistFile[] {
  return Object.values(files);
}

/** The first file names a gist. */
export function titleOf(gist: Pick<Gist, 'id' | 'files'>): string {
  return filesOf(gist)[0]?.filename ?? gist.id;
}

/** Undefined for what is no text, or is not here as a whole. */
export function wholeTextOf({ content, encoding, truncated }: GistFile): string | undefined {
  return truncated === true || encoding === 'base64' ? undefined : content;
}

export function gistHref(id: string, rest = ''): string {
  return `/gists/${encodeURIComponent(id)}${rest}`;
}
