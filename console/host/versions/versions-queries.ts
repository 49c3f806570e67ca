// What the page of versions asks: the calls there are, and one of them in a version.
import { useQuery } from '@tanstack/react-query';
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useRead } from '../../api/read.ts';

export interface VersionedCall {
  api: string;
  operation: string;
  summary: string;
  path: string;
  parameters: string[];
  until?: string;
  changes: { version: string; title: string; advice: string; page: string }[];
}

export function useVersionedCalls() {
  return useRead<{ items: VersionedCall[] }>({ call: { api: 'signalbox', path: '/versioned-calls' } });
}

export function useVersionNames() {
  return useRead<string[]>({ call: { api: 'host', path: '/versions' } });
}

export interface VersionReply {
  status: number;
  headers: [name: string, value: string][];
  body: unknown;
}

/** A refusal is an answer, too. Undefined asks nothing. */
export function useReplyIn(version: string | undefined, call: Call | undefined) {
  return useQuery<VersionReply, ApiError>({
    queryKey: ['in version', version, call],
    queryFn: async ({ signal }) => {
      const asked: Call = { ...call!, headers: { 'x-github-api-version': version! } };
      try {
        const { status, body, headers } = await send<unknown>(asked, signal);
        return { status, headers: [...headers], body };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0) throw error;
        return { status: error.status, headers: [], body: { message: error.message } };
      }
    },
    enabled: version !== undefined && call !== undefined,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
}

/** Undefined while a parameter is missing. Slashes of the last one are those of a path. */
export function callFor(
  { path, parameters }: VersionedCall,
  values: (name: string) => string | undefined,
  query: string,
): Call | undefined {
  if (parameters.some((name) => values(name) === undefined)) return undefined;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    values(name)!
      .split('/')
      .map((part) => encodeURIComponent(part))
      .join(name === 'path' || name === 'ref' ? '/' : '%2F'),
  );
  // Such parts would lead to another call.
  if (filled.split('/').some((part) => part === '.' || part === '..')) return undefined;
  return { api: 'host', path: filled, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** What names the call, the time or the budget differs each time. */
const OF_EACH_CALL =
  /^(date|etag|x-(github|host)-request-id|x-request-id|x-ratelimit-.*|content-length|keep-alive|connection)$/;

export function comparedHeaders(one: VersionReply, other: VersionReply) {
  const before = new Map(one.headers);
  const after = new Map(other.headers);
  const names = [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => !OF_EACH_CALL.test(name))
    .toSorted();
  const rows = names.map((name) => ({ name, before: before.get(name), after: after.get(name) }));
  const differing = rows.filter((row) => row.before !== row.after);
  return { differing, same: rows.length - differing.length };
}
