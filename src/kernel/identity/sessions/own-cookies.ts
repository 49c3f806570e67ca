// Cookies of this server: for its own path, out of reach of scripts, and over HTTPS alone where people reach it so.

/**
 * Browsers accept a name that begins with `__Host-` only over HTTPS, for all paths and for one host; one with `__Secure-` also
 * for a path.
 */
function cookieNameAt(publicUrl: string, name: string): string {
  if (!publicUrl.startsWith('https:')) return name;
  return cookiePathOf(publicUrl) === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

/** Undefined if it is absent or empty: some clients send an empty Cookie header with everything. */
export function readCookie(cookies: string | undefined, publicUrl: string, name: string): string | undefined {
  const wanted = cookieNameAt(publicUrl, name);
  for (const pair of cookies?.split(';') ?? []) {
    const [found, value = ''] = pair.trim().split('=', 2);
    if (found === wanted && value !== '') return value;
  }
  return undefined;
}

/** The value of `set-cookie`. Without seconds it is removed. Lax, because links and redirects from other sites lead here. */
export function writeCookie(publicUrl: string, name: string, value: string, seconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieNameAt(publicUrl, name)}=${value}; Path=${cookiePathOf(publicUrl)}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** Other servers of the same host need not get it. */
function cookiePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname;
}
