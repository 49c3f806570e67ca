// Which names of references, branches, paths and entries of trees are allowed, and what a revision from outside may mean.
import { Failure } from '../../../kernel/failure.ts';

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
interface RevisionMeanings {
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

/** Code points that HFS+ ignores in names: a name with them is the same file as the name without. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** NTFS ignores dots and spaces at the end, and takes a colon as the start of the name of a stream. */
const DOT_GIT_ON_NTFS = /^(?:\.git|git~1)[. ]*(?:$|:)/i;

/** Whether a checkout of the entry could write outside of its folder. Names are bytes: git does not require UTF-8. */
export function isUnsafeEntryName(name: Buffer): boolean {
  if (name.length === 0 || name.includes(0) || name.includes('/')) return true;
  const text = name.toString('utf8');
  if (text === '.' || text === '..') return true;
  if (text.replace(IGNORED_BY_HFS, '').toLowerCase() === '.git') return true;
  // On Windows a backslash separates folders.
  return text.split('\\').some((part) => DOT_GIT_ON_NTFS.test(part));
}

/** Names that only look so: git does not read these in a repository without a working folder, on any file system. */
const NO_MEANING = /^\.git(?:hub|ignore|keep)$/;

/**
 * Whether git may read a file of this name itself, such as `.gitmodules`: these names begin with `.git` on some file system,
 * which may ignore characters, shorten a name with a tilde, or separate parts of it by a backslash or a colon.
 */
export function mayMeanToGit(name: string): boolean {
  if (NO_MEANING.test(name)) return false;
  return /[~\\:]/.test(name) || /^\.git/i.test(name.replace(IGNORED_BY_HFS, ''));
}

/** Longer names do not fit a file system, which stores each part and its lock as a file. */
const MAX_REF_BYTES = 1024;

const MAX_REF_PART_BYTES = 240;

const FORBIDDEN_IN_REF = /[ ~^:?*[\\]|\.\.|@\{/;

/** Nearly all names. They need not be looked at part by part. */
const PLAIN_REF = /^refs\/(?:heads|tags)\/[\w-]{1,200}$/;

/** By the rules of `git check-ref-format`. Takes full names only, such as `refs/heads/main`. */
export function isValidRefName(name: string): boolean {
  if (PLAIN_REF.test(name)) return true;
  if (!name.startsWith('refs/') || FORBIDDEN_IN_REF.test(name) || !name.isWellFormed()) return false;
  if (hasControlCharacter(name)) return false;
  if (name.endsWith('.') || Buffer.byteLength(name) > MAX_REF_BYTES) return false;
  const parts = name.split('/');
  return parts.length > 2 && parts.every(isValidRefPart);
}

/** Whether the name of a branch or tag is the id of an object: people and programs would take one for the other. */
export function isNamedLikeId(name: string): boolean {
  return /^refs\/(?:heads|tags)\/[0-9a-f]{40}$/i.test(name);
}

function isValidRefPart(part: string): boolean {
  if (part === '' || part.startsWith('.') || part.endsWith('.lock')) return false;
  return Buffer.byteLength(part) <= MAX_REF_PART_BYTES;
}

function hasControlCharacter(name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
