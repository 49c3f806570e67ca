// What the editor offers to choose from.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { Flag } from '../flag.ts';
import { USER } from './targeting.ts';

interface Keyed {
  key: string;
  name: string;
}

const MAX_CHOICES = 200;

/** Users are always there. */
export function useContextKinds(project: string): string[] {
  const { data } = useRead<{ items: Keyed[] }>({
    call: { api: 'flags', path: path`/projects/${project}/context-kinds` },
    topics: ['context-kind'],
  });
  return [...new Set([USER, ...(data?.items ?? []).map(({ key }) => key)])];
}

export function useSegmentKeys(project: string, environment: string): string[] {
  const { data } = useRead<{ items: Keyed[] }>({
    call: {
      api: 'flags',
      path: path`/segments/${project}/${environment}`,
      query: { limit: MAX_CHOICES },
    },
    topics: ['segment'],
  });
  return (data?.items ?? []).map(({ key }) => key);
}

/** Flags whose name or key has the words. */
export function useFlagSearch(project: string, words: string) {
  const filter = `query:"${words.replaceAll('"', '')}"`;
  return useRead<{ items: Flag[] }>(
    {
      call: { api: 'flags', path: path`/flags/${project}`, query: { limit: 20, filter } },
      topics: ['flag'],
    },
    { isEnabled: words !== '', keepsPrevious: true },
  );
}
