// Where this server is. The page says so in its base, so that the server may be mounted below any path.

/** All of a browser that is needed here, so that tests without one can read this file. */
declare const document: { readonly baseURI: string };
declare const location: { readonly origin: string };

/** Path of the server, without a slash at the end; empty at the root. */
export const ROOT = new URL('..', document.baseURI).pathname.replace(/\/$/, '');

/** Path of the console, without a slash at the end. */
export const CONSOLE = `${ROOT}/console`;

/** The address that people and clients use. */
export const ORIGIN = location.origin + ROOT;

export type Api = 'signalbox' | 'flags' | 'actors' | 'host';

/** What the paths of each API begin with. */
export const PREFIXES: Readonly<Record<Api, string>> = {
  signalbox: '/signalbox/v1',
  flags: '/api/v2',
  actors: '/v2',
  host: '',
};
