// What the pages of tokens read.
import { path, type Call } from '../../api/call.ts';
import { usePages, useRead } from '../../api/read.ts';
import type { TokenTask, TokenUsage, TokenUse } from '../../api/types/signalbox.ts';
import type { TokenDetail } from './token-model.ts';

/** Of the stream: changes of tokens, and the first use of one. */
const TOPICS = ['token', 'service-token', 'token-used'];
export const CHANGED_TOKENS = ['token', 'service-token'];
const PAGE = 50;

export function useTokens({ q, isAll }: { q: string; isAll: boolean }) {
  const call: Call = {
    api: 'signalbox',
    path: '/tokens',
    query: { q, all: isAll || undefined, limit: PAGE },
  };
  const pages = usePages<TokenUse>({ call, topics: TOPICS }, { keepsPrevious: true });
  return { ...pages, rows: pages.data?.pages.flatMap(({ items }) => items) };
}

export const tokenRead = (id: string) => ({
  call: { api: 'flags', path: path`/tokens/${id}` } as Call,
  topics: TOPICS,
});

export function useToken(id: string) {
  return useRead<TokenDetail>(tokenRead(id));
}

/** The last use of one token: the list is the only call that has it, and finds a token by its ending. */
export function useLastUse(id: string, ending: string | undefined) {
  const call: Call = {
    api: 'signalbox',
    path: '/tokens',
    query: { q: ending, all: true, limit: 100 },
  };
  const { data } = useRead<{ items: TokenUse[] }>(
    { call, topics: TOPICS },
    { isEnabled: ending !== undefined },
  );
  return data?.items.find((token) => token.id === id);
}

/** The calls of the last seven days, by hour. */
export function useTokenUsage(id: string) {
  const call: Call = { api: 'signalbox', path: path`/tokens/${id}/usage` };
  return useRead<TokenUsage>({ call, topics: TOPICS });
}

export function useTokenTasks() {
  return useRead<{ items: TokenTask[] }>({ call: { api: 'signalbox', path: '/token-tasks' } });
}

interface FlagsList<Item> {
  items: Item[];
  totalCount: number;
}

export interface NamedRole {
  key: string;
  name: string;
  description: string;
}

export function useCustomRoles(limit: number) {
  const call: Call = { api: 'flags', path: '/roles', query: { limit } };
  return useRead<FlagsList<NamedRole>>({ call, topics: ['role'] }, { keepsPrevious: true });
}

interface Keyed {
  key: string;
  name: string;
}

/** As many names as a list can be chosen from; where there are more, one types. */
const MOST_NAMES = 100;

export function useProjectKeys(isEnabled: boolean) {
  const call: Call = { api: 'flags', path: '/projects', query: { limit: MOST_NAMES, sort: 'name' } };
  return useRead<FlagsList<Keyed>>({ call, topics: ['proj'] }, { isEnabled });
}

export function useEnvironmentKeys(project: string, isEnabled: boolean) {
  const call: Call = {
    api: 'flags',
    path: path`/projects/${project}/environments`,
    query: { limit: MOST_NAMES, sort: 'name' },
  };
  return useRead<FlagsList<Keyed>>({ call, topics: ['env'] }, { isEnabled });
}

export function useRepositoryNames(isEnabled: boolean) {
  const call: Call = { api: 'host', path: '/user/repos', query: { per_page: MOST_NAMES, sort: 'pushed' } };
  return useRead<{ name: string; owner: { login: string } }[]>({ call, topics: ['repo'] }, { isEnabled });
}

export function useActorNames(isEnabled: boolean) {
  const call: Call = { api: 'actors', path: '/actors', query: { my: true, limit: MOST_NAMES } };
  return useRead<{ data: { items: { id: string; name: string; username: string }[] } }>(
    { call, topics: ['actor'] },
    { isEnabled },
  );
}
