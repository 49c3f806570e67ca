// The path below which clients reach this server, where a proxy serves it beside others: taken off requests, put before what replies lead to.

/** Of the public URL, without a slash at its end: empty where the server has a host or port of its own. */
export function publicPathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
}

/**
 * The target of a request without that path, which a proxy may have taken off before. No name of an account is the first word of
 * it. Clients that put their base URL before links of replies have it twice.
 */
export function withoutPublicPath(target: string, publicPath: string): string {
  let rest = target;
  while (
    publicPath !== '' &&
    rest.startsWith(publicPath) &&
    /^(?:[/?#]|$)/.test(rest.slice(publicPath.length))
  ) {
    rest = rest.slice(publicPath.length);
  }
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`;
}

/** Quotes in texts and attributes of pages are escaped, so this is in tags only; and `//` would be another site. */
const OWN_ADDRESS = /(?<= (?:href|action|src|data-next|data-path|data-token-path|data-root)=")\/(?!\/)/g;

/** A page of this server, whose addresses are written from its root. */
export function placePage(page: string, publicPath: string): string {
  return publicPath === '' ? page : page.replaceAll(OWN_ADDRESS, `${publicPath}/`);
}

/** A path of this server, as it is sent: addresses elsewhere stay as they are. */
export function placeAddress(address: string, publicPath: string): string {
  return /^\/(?!\/)/.test(address) ? publicPath + address : address;
}

/** Marks an object whose `href` is a path of this server. JSON leaves it out, and no value that a caller has sent has it. */
const OWN_LINK = Symbol('a path of this server');

/** For replies, whose links are placed when they are written. `href` begins with a slash. */
export function ownLink(href: string, type: string): { href: string; type: string } {
  return { href, type, [OWN_LINK]: true } as { href: string; type: string };
}

export type JsonReplacer = (key: string, value: unknown) => unknown;

/** For `JSON.stringify`. Undefined where there is nothing to place: a replacer costs a call for every value. */
export function placingLinks(publicPath: string): JsonReplacer | undefined {
  if (publicPath === '') return undefined;
  return (_key, value) =>
    isOwnLink(value) ? { ...value, href: publicPath + value.href, [OWN_LINK]: false } : value;
}

function isOwnLink(value: unknown): value is { href: string } {
  return (
    typeof value === 'object' && value !== null && (value as { [OWN_LINK]?: boolean })[OWN_LINK] === true
  );
}
