// Where the login leads back to: a page of this server, and never another site.

const MAX_LENGTH = 2048;

/** The login, for whoever asks for a page without a session. */
export function loginPathFrom(path: string): string {
  return isLocalPath(path) ? `/session?${new URLSearchParams({ return: path }).toString()}` : '/session';
}

/** Browsers take `//name` and `/\name` for other sites, and drop tabs and line ends before they look. */
export function isLocalPath(path: string): boolean {
  return path.length <= MAX_LENGTH && /^\/(?!\/)[!-[\]-~]*$/.test(path);
}
