// Which names of branches and paths are allowed, and what a revision from outside may mean.
import { Failure } from '../../kernel/failure.ts';
import { isUnsafeEntryName } from './entry-name.ts';
import { isValidRefName } from './ref-name.ts';

const MAX_PATH_BYTES = 4096;

/** Git itself refuses branches that look like an option, or like the name of the current branch. */
export function isBranchName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefName(`refs/heads/${name}`);
}

export function checkRefName(name: string): void {
  if (!isValidRefName(name))
    throw new Failure('invalid', `${JSON.stringify(name)} is not a valid name of a reference.`);
}

/**
 * What the text may mean: refs, the most likely first, then an object id or its beginning. Nothing else of git's syntax
 * for revisions is understood, such as `main~1`, `main@{yesterday}` or `main:path`.
 */
export interface RevisionMeanings {
  refs: string[];
  /** In small letters. */
  hex?: string;
}

export function readRevision(text: string): RevisionMeanings {
  if (text === 'HEAD') return { refs: ['HEAD'] };
  const names = [`refs/heads/${text}`, `refs/tags/${text}`, `refs/${text}`];
  // A full name means itself: otherwise a branch with that name could pass for another.
  const refs = (text.startsWith('refs/') ? [text, ...names] : names).filter(isValidRefName);
  return /^[0-9a-f]{4,40}$/i.test(text) ? { refs, hex: text.toLowerCase() } : { refs };
}

/** The parts of a path inside a repository; none for the root. Undefined for what no path can be. */
export function splitPath(path: string): string[] | undefined {
  if (path === '') return [];
  if (path.includes('\0') || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES)
    return undefined;
  const parts = path.split('/');
  return parts.some((part) => part === '' || part === '.' || part === '..') ? undefined : parts;
}

/** For paths that are written. Besides, no part may mean the folder `.git` on some file system. */
export function checkPath(path: string): string[] {
  const parts = splitPath(path);
  if (parts === undefined || parts.length === 0)
    throw new Failure(
      'invalid',
      `${JSON.stringify(path)} is not a path of a file: it must not be empty, begin or end with a slash, or contain "//", "." or ".." as a part.`,
    );
  if (parts.some((part) => isUnsafeEntryName(Buffer.from(part))))
    throw new Failure(
      'invalid',
      `${JSON.stringify(path)} is not allowed: ".git" is reserved for git itself.`,
    );
  return parts;
}
