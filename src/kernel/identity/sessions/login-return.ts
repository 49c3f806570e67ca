// Where the login leads back to: a page of this server, and never another site.

/** Pages have what they are about in their address. Proxies refuse longer ones. */
const MAX_LENGTH = 8000;

/** The login, which leads back to the page. */
export function loginPathFrom(path: string): string {
  return isLocalPath(path) ? `/session?${new URLSearchParams({ return: path }).toString()}` : '/session';
}

/** Browsers take `//name` and `/\name` for other sites, and drop tabs and line ends before they look. */
export function isLocalPath(path: string): boolean {
  return path.length <= MAX_LENGTH && /^\/(?!\/)[!-[\]-~]*$/.test(path);
}
