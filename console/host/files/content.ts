// Files and folders as the host API has them, and their bytes as text.

export interface Entry {
  name: string;
  path: string;
  sha: string;
  size: number;
  type: 'file' | 'dir' | 'symlink' | 'submodule';
}

export interface Folder {
  type: 'dir';
  sha: string;
  entries: Entry[];
}

export interface FileContent {
  type: 'file';
  name: string;
  path: string;
  sha: string;
  size: number;
  content: string;
  /** `none` for files above 1 MB, whose content is read by itself. */
  encoding: string;
}

export interface Symlink {
  type: 'symlink';
  name: string;
  path: string;
  target: string;
}

export interface Submodule {
  type: 'submodule';
  name: string;
  path: string;
  sha: string;
  submodule_git_url: string;
}

export type Content = Folder | FileContent | Symlink | Submodule;

/** A tree of the git data API. */
export interface Tree {
  tree: { path: string; mode: string; type: 'blob' | 'tree' | 'commit'; sha: string; size?: number }[];
  truncated: boolean;
}

const SYMLINK_MODE = '120000';

export function entriesOf({ tree }: Tree, folder: string): Entry[] {
  return tree.map(({ path, mode, type, sha, size = 0 }) => ({
    name: path,
    path: folder === '' ? path : `${folder}/${path}`,
    sha,
    size,
    type:
      type === 'tree' ? 'dir' : type === 'commit' ? 'submodule' : mode === SYMLINK_MODE ? 'symlink' : 'file',
  }));
}

/** Folders first, then by name. */
export function sortEntries(entries: readonly Entry[]): Entry[] {
  return [...entries].sort(
    (a, b) => Number(b.type === 'dir') - Number(a.type === 'dir') || (a.name < b.name ? -1 : 1),
  );
}

export function decodeBase64(content: string): Uint8Array {
  return Uint8Array.from(atob(content.replaceAll('\n', '')), (letter) => letter.charCodeAt(0));
}

/** Undefined for what is no text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Without the end of the last line, which is no line of its own. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

const README = /^readme(?:\.(?:md|markdown|mdown|mkdn|mkd|txt|rst))?$/i;
const MARKDOWN = /\.(?:md|markdown|mdown|mkdn|mkd)$/i;

/** What the server renders comes first. */
export function findReadme(entries: readonly Entry[]): Entry | undefined {
  const found = entries.filter(({ name, type }) => type === 'file' && README.test(name));
  return found.find(({ name }) => isMarkdown(name)) ?? found[0];
}

export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path);
}
