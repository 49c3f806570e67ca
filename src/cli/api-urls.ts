// The URLs of the three APIs on a server, and a call to try each.
import { apis } from '../app/apis.ts';

interface ApiUrl {
  name: string;
  title: string;
  url: string;
  /** The URL of a call that any token may make. */
  tryUrl: string;
}

/** The path that returns the caller, in each API. */
const WHO_AM_I: Record<string, string> = { flags: '/caller-identity', actors: '/users/me', host: '/user' };

export function apiUrls(publicUrl: string): ApiUrl[] {
  return apis.map(({ protocol: { name, title, prefixes } }) => {
    const url = publicUrl + prefixes[0]!;
    return { name, title, url, tryUrl: url + (WHO_AM_I[name] ?? '') };
  });
}
