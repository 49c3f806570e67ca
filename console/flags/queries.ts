// What the pages of flags read.
import { path, type Call } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import type { AuditLogEntrySummary, Environment, Project } from '../api/types/flags.ts';
import type { Flag } from './flag.ts';

export type { Environment, Project };

export type AuditEntry = AuditLogEntrySummary;

interface Items<Item> {
  items: Item[];
  totalCount: number;
}

/** As many as the API gives at once; others are reached by their address. */
const MAX_CHOICES = 1000;
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
