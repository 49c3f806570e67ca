// Finds the README and the licence of a repository by their names.
import type { FoundEntry } from '../git/repository.ts';
import { findContent, type OpenedContents } from './find-content.ts';

/** Where files are looked for. */
type SearchedContents = Pick<OpenedContents, 'git' | 'commit'>;

/** The best first: what can be rendered, then other markup, then plain text. */
const EXTENSIONS = [
  'md',
  'markdown',
  'mdown',
  'mkdn',
  'mkd',
  'rst',
  'org',
  'adoc',
  'asciidoc',
  'textile',
  'rdoc',
  'pod',
  '',
  'txt',
];
const README = /^readme(?:\.(\w+))?$/i;
const LICENSE = /^(?:licen[cs]e|copying|unlicense)(?:\.(\w+))?$/i;
/** Where the README of the whole repository may be, the first one that has it. */
const README_FOLDERS = ['.github', '', 'docs'];

/** Of the whole repository, or of one folder. */
export async function findReadmeFile(
  opened: OpenedContents,
  folder: string | undefined,
): Promise<FoundEntry | undefined> {
  for (const one of folder === undefined ? README_FOLDERS : [folder]) {
    const found = await findNamedFile(opened, one, README);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function findLicenseFile(opened: SearchedContents): Promise<FoundEntry | undefined> {
  return findNamedFile(opened, '', LICENSE);
}

async function findNamedFile(
  opened: SearchedContents,
  folder: string,
  pattern: RegExp,
): Promise<FoundEntry | undefined> {
  const { git, commit } = opened;
  const found = await git.findEntry(commit.oid, folder);
  const tree = found?.kind === 'tree' ? await git.readTree(found.oid) : undefined;
  const ranked = (tree?.entries ?? []).flatMap(({ name, kind }) => {
    const match = kind === 'blob' || kind === 'symlink' ? pattern.exec(name) : null;
    const rank = match === null ? -1 : EXTENSIONS.indexOf((match[1] ?? '').toLowerCase());
    return rank < 0 ? [] : { name, rank };
  });
  for (const { name } of ranked.toSorted((one, other) => one.rank - other.rank)) {
    const file = await findContent(opened, folder === '' ? name : `${folder}/${name}`);
    if (file.kind === 'blob') return file;
  }
  return undefined;
}
