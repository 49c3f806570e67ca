// What the pages of teams ask of the server.
import { path, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';

export const TEAMS_PAGE = '/account/teams';

interface Counted<Item> {
  totalCount: number;
  items: Item[];
}

export interface TeamMember {
  _id: string;
  email: string;
  firstName?: string;
  lastName?: string;
}

export interface Team {
  key: string;
  name: string;
  description: string;
  _creationDate: number;
  _lastModified: number;
  members?: Counted<TeamMember>;
  roles?: Counted<{ key: string; name: string }>;
  roleAttributes?: Record<string, string[]>;
}

const TOPICS = ['team', 'role', 'member'];
const ROWS_AT_ONCE = 50;
const keyOf = ({ key }: Team) => key;

export function useTeamList(words: string | undefined) {
  // A quotation mark would end the text of the filter.
  const filter = words === undefined ? undefined : `query:"${words.replaceAll('"', '')}"`;
  return useListPages<Counted<Team>, Team>({
    call: { api: 'flags', path: '/teams', query: { expand: 'members,roles', filter } },
    topics: TOPICS,
    first: 0,
    pageQuery: (offset) => ({ limit: ROWS_AT_ONCE, offset }),
    toPage: ({ items, totalCount }, offset) => offsetPage(items, totalCount, offset),
    idOf: keyOf,
  });
}

export const teamRead = (key: string) => ({
  call: {
    api: 'flags',
    path: path`/teams/${key}`,
    query: { expand: 'members,roles,roleAttributes' },
  } satisfies Call,
  topics: TOPICS,
});

export function useTeam(key: string) {
  return useRead<Team>(teamRead(key));
}

export type TeamInstruction =
  | { kind: 'updateName' | 'updateDescription'; value: string }
  | { kind: 'addMembers' | 'removeMembers' | 'addCustomRoles' | 'removeCustomRoles'; values: string[] }
  | { kind: 'addRoleAttribute' | 'updateRoleAttribute'; key: string; values: string[] }
  | { kind: 'removeRoleAttribute'; key: string };

export function patchTeamCall(key: string, instructions: readonly TeamInstruction[]): Call {
  return {
    api: 'flags',
    method: 'PATCH',
    path: path`/teams/${key}`,
    body: { instructions },
    contentType: 'application/json; domain-model=launchdarkly.semanticpatch',
  };
}

export function teamMemberName({ firstName, lastName, email }: TeamMember): string {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return name === '' ? email : name;
}
