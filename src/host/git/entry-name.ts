// Which names an entry of a tree must not have, because a checkout of it could write outside of its folder.

/** Code points that HFS+ ignores in names: a name with them is the same file as the name without. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** NTFS ignores dots and spaces at the end, and takes a colon as the start of the name of a stream. */
const DOT_GIT_ON_NTFS = /^(?:\.git|git~1)[. ]*(?:$|:)/i;

/** Names are bytes: git does not require UTF-8. */
export function isUnsafeEntryName(name: Buffer): boolean {
  if (name.length === 0 || name.includes(0) || name.includes('/')) return true;
  const text = name.toString('utf8');
  if (text === '.' || text === '..') return true;
  if (text.replace(IGNORED_BY_HFS, '').toLowerCase() === '.git') return true;
  // On Windows a backslash separates folders.
  return text.split('\\').some((part) => DOT_GIT_ON_NTFS.test(part));
}
