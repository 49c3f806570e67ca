// One search over everything that the caller may see.
import { useRead } from '../api/read.ts';
import type { IconName } from '../ui/icon.tsx';
import { ROOT } from '../api/server.ts';
import type { SearchItem, SearchResult } from '../api/types/signalbox.ts';

/** In the order in which they are shown. */
export const KINDS: readonly { kind: SearchItem['kind']; label: string; icon: IconName }[] = [
  { kind: 'flag', label: 'Flags', icon: 'flag' },
  { kind: 'segment', label: 'Segments', icon: 'flag' },
  { kind: 'project', label: 'Projects', icon: 'flag' },
  { kind: 'environment', label: 'Environments', icon: 'flag' },
  { kind: 'actor', label: 'Actors', icon: 'actor' },
  { kind: 'run', label: 'Runs', icon: 'actor' },
  { kind: 'build', label: 'Builds', icon: 'actor' },
  { kind: 'task', label: 'Tasks', icon: 'actor' },
  { kind: 'schedule', label: 'Schedules', icon: 'cal' },
  { kind: 'dataset', label: 'Datasets', icon: 'disk' },
  { kind: 'key-value-store', label: 'Key-value stores', icon: 'disk' },
  { kind: 'request-queue', label: 'Request queues', icon: 'disk' },
  { kind: 'repository', label: 'Repositories', icon: 'code' },
  { kind: 'issue', label: 'Issues', icon: 'code' },
  { kind: 'pull', label: 'Pull requests', icon: 'pull' },
  { kind: 'gist', label: 'Gists', icon: 'code' },
  { kind: 'member', label: 'Members', icon: 'user' },
  { kind: 'team', label: 'Teams', icon: 'user' },
  { kind: 'token', label: 'Tokens', icon: 'lock' },
  { kind: 'operation', label: 'Operations', icon: 'api' },
  { kind: 'guide', label: 'Guides', icon: 'docs' },
];

export function useSearch(text: string, { kinds, limit = 5 }: { kinds?: string; limit?: number } = {}) {
  const q = text.trim();
  return useRead<SearchResult>(
    { call: { api: 'signalbox', path: '/search', query: { q, kinds, limit } } },
    { isEnabled: q !== '', keepsPrevious: true },
  );
}

/** Of a page of the documentation, which is outside the console; undefined for others. */
export function docsAddressOf(path: string): string | undefined {
  return path.startsWith('/') ? ROOT + path : undefined;
}

export interface HitGroup {
  kind: string;
  label: string;
  icon: IconName;
  hits: SearchItem[];
}

export function groupHits(hits: readonly SearchItem[]): HitGroup[] {
  return KINDS.map((one) => ({ ...one, hits: hits.filter(({ kind }) => kind === one.kind) })).filter(
    ({ hits: found }) => found.length > 0,
  );
}
