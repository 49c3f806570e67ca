// Where the three APIs are on a server, and the call that tries each.
import { apis } from '../app.ts';

interface ApiPlace {
  name: string;
  title: string;
  url: string;
  /** A call that any token may make, without its token. */
  tryUrl: string;
}

/** Who am I, in each API's own words. */
const WHO_AM_I: Record<string, string> = { flags: '/caller-identity', actors: '/users/me', host: '/user' };

export function placesOf(publicUrl: string): ApiPlace[] {
  return apis.map(({ dialect: { name, title, prefixes } }) => {
    const url = publicUrl + prefixes[0]!;
    return { name, title, url, tryUrl: url + (WHO_AM_I[name] ?? '') };
  });
}
