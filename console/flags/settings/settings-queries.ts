// What the tab of a flag's settings reads, and its calls beside those that the save dialog makes.
import { path, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { ExpiringTarget, FlagLinkRep, TriggerWorkflowRep } from '../../api/types/flags.ts';
import type { Instruction } from '../save/instruction.ts';

/** Some resources are reached only by those who ask for them by this version. */
const BETA = { 'ld-api-version': 'beta' };
const SEMANTIC_PATCH = 'application/json; domain-model=launchdarkly.semanticpatch';

export interface MemberChoice {
  _id: string;
  email: string;
  firstName?: string;
  lastName?: string;
}

const CHOICES = 20;
const MOST_TEAMS = 100;

export function useMemberSearch(words: string, isEnabled: boolean) {
  return useRead<{ items: MemberChoice[] }>(
    {
      call: {
        api: 'flags',
        path: '/members',
        query: {
          limit: CHOICES,
          filter: words === '' ? undefined : `query:${words.replaceAll(/[,:]/g, ' ')}`,
        },
      },
      topics: ['member'],
    },
    { isEnabled, keepsPrevious: true },
  );
}

export function useTeams(isEnabled: boolean) {
  return useRead<{ items: { key: string; name: string }[] }>(
    { call: { api: 'flags', path: '/teams', query: { limit: MOST_TEAMS } }, topics: ['team'] },
    { isEnabled },
  );
}

export function useFlagTags() {
  return useRead<{ items: string[] }>({
    call: { api: 'flags', path: '/tags', query: { kind: 'flag', limit: 200 } },
    topics: ['flag'],
  });
}

export type FlagLink = FlagLinkRep;

export const LINKS_CHANGED = ['flag'];

export function linksPath(project: string, flag: string): string {
  return path`/flag-links/projects/${project}/flags/${flag}`;
}

export function useFlagLinks(project: string, flag: string) {
  return useRead<{ items: FlagLink[] }>({
    call: { api: 'flags', path: linksPath(project, flag), headers: BETA },
    topics: LINKS_CHANGED,
  });
}

/** Calls of resources that need the version. */
export function betaCall(call: Omit<Call, 'api' | 'headers'>): Call {
  return { api: 'flags', headers: BETA, ...call };
}

export type Trigger = Omit<TriggerWorkflowRep, 'instructions'> & { instructions: Instruction[] };

export interface FlagPlace {
  project: string;
  flag: string;
  environment: string;
}

export function triggersPath({ project, flag, environment }: FlagPlace): string {
  return path`/flags/${project}/${flag}/triggers/${environment}`;
}

export function useTriggers(place: FlagPlace) {
  return useRead<{ items: Trigger[] }>({
    call: { api: 'flags', path: triggersPath(place) },
    topics: ['flag'],
  });
}

export function triggerPatch(place: FlagPlace, id: string, kind: string): Call {
  return {
    api: 'flags',
    method: 'PATCH',
    path: `${triggersPath(place)}/${encodeURIComponent(id)}`,
    contentType: SEMANTIC_PATCH,
    body: { environmentKey: place.environment, instructions: [{ kind }] },
  };
}

export type { ExpiringTarget };

function expiringPath({ project, flag, environment }: FlagPlace): string {
  return path`/flags/${project}/${flag}/expiring-targets/${environment}`;
}

export function useExpiringTargets(place: FlagPlace) {
  return useRead<{ items: ExpiringTarget[] }>({
    call: { api: 'flags', path: expiringPath(place) },
    topics: ['flag'],
  });
}

export function expiringPatch(place: FlagPlace, instruction: Instruction, comment: string): Call {
  return {
    api: 'flags',
    method: 'PATCH',
    path: expiringPath(place),
    contentType: SEMANTIC_PATCH,
    body: {
      environmentKey: place.environment,
      instructions: [instruction],
      ...(comment !== '' && { comment }),
    },
  };
}

export interface DependentFlag {
  key: string;
  name: string;
  environments?: { key: string; name: string }[];
}

export function useDependents(project: string, flag: string) {
  return useRead<{ items: DependentFlag[] }>({
    call: betaCall({ path: path`/flags/${project}/${flag}/dependent-flags` }),
    topics: ['flag'],
  });
}
