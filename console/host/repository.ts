// Repositories and what is in them, as the host API has it.

export interface Repository {
  id: number;
  name: string;
  full_name: string;
  owner: { login: string };
  private: boolean;
  archived: boolean;
  fork: boolean;
  description: string | null;
  language: string | null;
  default_branch: string;
  clone_url: string;
  ssh_url?: string | null;
  open_issues_count: number;
  updated_at: string;
  pushed_at: string | null;
}

export interface ContentEntry {
  name: string;
  path: string;
  type: 'file' | 'dir' | 'symlink' | 'submodule';
  size: number;
}

export interface Readme {
  name: string;
  size: number;
  content: string;
  encoding: string;
}

export interface Commit {
  sha: string;
  commit: { message: string; author: { name: string; date: string } | null };
  author: { login: string } | null;
}

export interface Issue {
  id: number;
  number: number;
  title: string;
  user: { login: string } | null;
  created_at: string;
  draft?: boolean;
  /** Where the issue is a pull request. */
  pull_request?: object;
}

/** Folders first, then by name. */
export function sortEntries(entries: readonly ContentEntry[]): ContentEntry[] {
  return [...entries].sort(
    (a, b) => Number(b.type === 'dir') - Number(a.type === 'dir') || (a.name < b.name ? -1 : 1),
  );
}

/** Undefined where it is too large to show, or no text. */
export function readmeText({ content, encoding, size }: Readme, most: number): string | undefined {
  if (encoding !== 'base64' || size > most) return undefined;
  try {
    const bytes = Uint8Array.from(atob(content.replaceAll('\n', '')), (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function firstLine(message: string): string {
  return message.split('\n', 1)[0]!;
}
