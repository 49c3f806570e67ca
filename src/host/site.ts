// Where pages and git of the host are reached: beside its API, whichever of its prefixes a call has used.

/** Of the API where clients expect it below a server of their own; elsewhere it has none. */
export const ENTERPRISE_PREFIX = '/api/v3';

/** `base` is that of a call: it may lie below a path of its origin, and ends with a prefix of the API. */
export function siteOf(base: string): string {
  return base.endsWith(ENTERPRISE_PREFIX) ? base.slice(0, -ENTERPRISE_PREFIX.length) : base;
}
