// Which names a reference can have, by the rules of `git check-ref-format`.

/** Longer names do not fit a file system, which stores each part and its lock as a file. */
const MAX_BYTES = 1024;
const MAX_PART_BYTES = 240;
const FORBIDDEN = /[ ~^:?*[\\]|\.\.|@\{/;

/** Nearly all names. They need not be looked at part by part. */
const PLAIN = /^refs\/(?:heads|tags)\/[\w-]{1,200}$/;

/** Takes full names only, such as `refs/heads/main`. */
export function isValidRefName(name: string): boolean {
  if (PLAIN.test(name)) return true;
  if (!name.startsWith('refs/') || FORBIDDEN.test(name) || !name.isWellFormed()) return false;
  if (hasControl(name)) return false;
  if (name.endsWith('.') || Buffer.byteLength(name) > MAX_BYTES) return false;
  const parts = name.split('/');
  return parts.length > 2 && parts.every(isValidPart);
}

/** Whether the name of a branch or tag is the id of an object: people and programs would take one for the other. */
export function isNamedLikeId(name: string): boolean {
  return /^refs\/(?:heads|tags)\/[0-9a-f]{40}$/i.test(name);
}

function isValidPart(part: string): boolean {
  if (part === '' || part.startsWith('.') || part.endsWith('.lock')) return false;
  return Buffer.byteLength(part) <= MAX_PART_BYTES;
}

function hasControl(name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
