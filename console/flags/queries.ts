// What the pages of flags read.
import { path, type Call } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import { useListPages } from '../lib/list-pages.ts';
import type { Flag } from './flag.ts';

export interface Project {
  key: string;
  name: string;
}

export interface Environment {
  key: string;
  name: string;
  critical: boolean;
  /** Hexadecimal, without a `#`. */
  color: string;
  confirmChanges: boolean;
  requireComments: boolean;
  approvalSettings: { required: boolean; requiredApprovalTags: string[] };
}

export interface AuditEntry {
  _id: string;
  date: number;
  name: string;
  titleVerb: string;
  /** Markdown, a line for each thing that changed. */
  description: string;
  comment: string;
  member?: { email: string; firstName?: string; lastName?: string };
  token?: { name: string; ending: string; serviceToken: boolean };
}

interface Items<Item> {
  items: Item[];
  totalCount: number;
}

/** Of a page of a list. */
const PAGE = 50;
/** More than these do not fit a list to choose from; others are reached by their address. */
const MAX_CHOICES = 200;
const MAX_ENTRIES = 10;

export function useProjects() {
  const query = { limit: MAX_CHOICES, sort: 'name' };
  return useRead<Items<Project>>({ call: { api: 'flags', path: '/projects', query }, topics: ['proj'] });
}

export function useEnvironments(project: string) {
  const call: Call = {
    api: 'flags',
    path: path`/projects/${project}/environments`,
    query: { limit: MAX_CHOICES },
  };
  return useRead<Items<Environment>>({ call, topics: ['env'] }, { isEnabled: project !== '' });
}

export interface FlagQuery {
  project: string;
  /** Of these the list shows what is on and served; undefined while they are not known. */
  environments: readonly string[] | undefined;
  words?: string | undefined;
  sort: string;
}

const keyOf = ({ key }: Flag) => key;

export function useFlags({ project, environments, words, sort }: FlagQuery) {
  return useListPages<Items<Flag>, Flag>({
    call: {
      api: 'flags',
      path: path`/flags/${project}`,
      query: { env: environments, sort, filter: words && `query:"${words.replaceAll('"', '')}"` },
    },
    topics: ['flag'],
    isEnabled: environments !== undefined,
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ items, totalCount }, offset) => ({
      rows: items,
      total: totalCount,
      next: offset + items.length < totalCount && items.length > 0 ? offset + items.length : undefined,
    }),
    idOf: keyOf,
  });
}

export function flagRead(project: string, flag: string) {
  return { call: { api: 'flags', path: path`/flags/${project}/${flag}` } satisfies Call, topics: ['flag'] };
}

export function useFlag(project: string, flag: string) {
  return useRead<Flag>(flagRead(project, flag));
}

/** In all environments. */
export function useFlagHistory(project: string, flag: string, isEnabled = true) {
  const query = { spec: `proj/${project}:env/*:flag/${flag}`, limit: MAX_ENTRIES };
  return useRead<{ items: AuditEntry[] }>(
    { call: { api: 'flags', path: '/auditlog', query }, topics: ['flag'] },
    { isEnabled },
  );
}
