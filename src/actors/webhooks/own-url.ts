// Request URLs of webhooks at this very server that start a run: these are carried out without a call.

export interface OwnRunUrl {
  kind: 'actor' | 'task';
  /** As paths name it. */
  reference: string;
  query: Record<string, string>;
  /** The token in the URL, if there is one. */
  token: string | undefined;
}

const RUNS = /^\/v2\/(acts|actors|actor-tasks)\/([^/]+)\/runs\/?$/;

/** Undefined for all other URLs, also for other ones of this server. */
export function parseOwnRunUrl(requestUrl: string, publicUrl: string): OwnRunUrl | undefined {
  const url = URL.parse(requestUrl);
  const own = URL.parse(publicUrl);
  if (url === null || own === null || url.origin !== own.origin) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const folder = own.pathname.replace(/\/$/, '');
  if (!url.pathname.startsWith(`${folder}/`)) return undefined;
  const [, collection, segment] = RUNS.exec(url.pathname.slice(folder.length)) ?? [];
  if (collection === undefined || segment === undefined) return undefined;
  const { token, ...query } = Object.fromEntries(url.searchParams);
  try {
    const kind = collection === 'actor-tasks' ? 'task' : 'actor';
    return { kind, reference: decodeURIComponent(segment), query, token };
  } catch {
    return undefined;
  }
}
