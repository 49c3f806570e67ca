// Where a result is: from the address that a tool wrote to a path inside of the repository.
import { MAX_PATH_LENGTH } from './sarif-limits.ts';

/** A drive letter is no scheme. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
const ABSOLUTE = /^(?:\/|[a-z]:\/)/i;

/**
 * Undefined for what is not inside of the repository: other schemes, such as `javascript:`, and files outside of the
 * checkout. `root` is the address of the checkout, as the tool knows it.
 */
export function repositoryPath(uri: string, root?: string): string | undefined {
  const path = filePathOf(uri);
  if (path === undefined) return undefined;
  const inside = ABSOLUTE.test(path) ? below(path, root === undefined ? undefined : filePathOf(root)) : path;
  return inside === undefined ? undefined : normalized(inside);
}

function filePathOf(uri: string): string | undefined {
  if (uri.length > MAX_PATH_LENGTH) return undefined;
  const plain = uri.replaceAll('\\', '/');
  if (!SCHEME.test(plain)) return decoded(plain);
  const [, path] = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(plain) ?? [];
  // `file:///C:/work` names a drive.
  return path === undefined ? undefined : decoded(path).replace(/^\/(?=[a-z]:\/)/i, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function below(path: string, root: string | undefined): string | undefined {
  if (root === undefined || !ABSOLUTE.test(root)) return undefined;
  const folder = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

function normalized(path: string): string | undefined {
  if (!path.isWellFormed() || hasControlCharacter(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

function hasControlCharacter(path: string): boolean {
  for (let at = 0; at < path.length; at += 1) {
    const code = path.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
