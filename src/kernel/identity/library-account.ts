// The account that owns what comes with the program. It has no credentials, and no member can take its name.

export const LIBRARY_ID = '000000000000000000000001';

/** Documents and clients know public programs under this name. */
export const LIBRARY_USERNAME = 'apify';

/** Its name where a member of an older database has the other one. Usernames of members contain no dot. */
export const LIBRARY_OTHER_USERNAME = 'apify.library';

/** In any case, so that nobody can pass for it. */
export function isReservedUsername(username: string): boolean {
  return username.toLowerCase() === LIBRARY_USERNAME;
}
