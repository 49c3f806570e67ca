// What the pages of projects and environments read, and the calls that change them.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { Environment, Project } from '../../api/types/flags.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';

export type ProjectDetail = Project;
/** Its id is the client-side ID. */
export type EnvironmentDetail = Environment;
/** Requests are reviewed here: the service is always this server. */
export type ApprovalSettings = Omit<Environment['approvalSettings'], 'serviceKind' | 'serviceConfig'>;

interface Items<Item> {
  items: Item[];
  totalCount: number;
}

const PAGE = 50;
export const CHANGED = ['proj', 'env'];

const filterOf = (words: string | undefined) => words && `query:${words.replaceAll(/[,:"]/g, ' ')}`;

/** How pages of the flags API follow each other. */
function pagesOf<Item extends { key: string }>() {
  return {
    first: 0,
    pageQuery: (offset: number) => ({ limit: PAGE, offset }),
    toPage: ({ items, totalCount }: Items<Item>, offset: number) => offsetPage(items, totalCount, offset),
    idOf: ({ key }: Item) => key,
  };
}

const PROJECT_PAGES = pagesOf<ProjectDetail>();
const ENVIRONMENT_PAGES = pagesOf<EnvironmentDetail>();

export function useProjectList(words: string | undefined, sort: string) {
  return useListPages({
    call: { api: 'flags', path: '/projects', query: { sort, filter: filterOf(words) } },
    topics: CHANGED,
    ...PROJECT_PAGES,
  });
}

export function useEnvironmentList(project: string, words: string | undefined, sort: string | undefined) {
  return useListPages({
    call: {
      api: 'flags',
      path: path`/projects/${project}/environments`,
      query: { sort, filter: filterOf(words) },
    },
    topics: CHANGED,
    ...ENVIRONMENT_PAGES,
  });
}

export function useProject(project: string) {
  return useRead<ProjectDetail>({
    call: { api: 'flags', path: path`/projects/${project}` },
    topics: CHANGED,
  });
}

export function environmentPath(project: string, environment: string): string {
  return path`/projects/${project}/environments/${environment}`;
}

export function useEnvironmentDetail(project: string, environment: string) {
  return useRead<EnvironmentDetail>({
    call: { api: 'flags', path: environmentPath(project, environment) },
    topics: CHANGED,
  });
}

/** Whether SDKs have connected in the last seven days. */
export function useSdkActive(project: string, environment: string) {
  return useRead<{ active: boolean }>({
    call: { api: 'flags', path: `${environmentPath(project, environment)}/sdk-active` },
  });
}

/** How many there are in a list of the flags API. */
export function useTotal(listPath: string) {
  return useRead<{ totalCount: number }>({ call: { api: 'flags', path: listPath, query: { limit: 1 } } });
}

export function useTagNames() {
  return useRead<{ items: string[] }>({ call: { api: 'flags', path: '/tags', query: { limit: 200 } } });
}

/** A JSON patch that is refused where somebody else was first. */
export function patchOf(version: number, fields: Readonly<Record<string, unknown>>): unknown[] {
  return [
    { op: 'test', path: '/_version', value: version },
    ...Object.entries(fields).map(([name, value]) =>
      value === undefined ? { op: 'remove', path: `/${name}` } : { op: 'add', path: `/${name}`, value },
    ),
  ];
}

export type ApprovedKind = 'flag' | 'segment';

/** As an environment has them before anybody changes them. */
const NO_APPROVALS: ApprovalSettings = {
  required: false,
  requiredApprovalTags: [],
  bypassApprovalsForPendingChanges: false,
  minNumApprovals: 1,
  canReviewOwnRequest: false,
  canApplyDeclinedChanges: true,
  autoApplyApprovedChanges: false,
};

export function approvalsOf(environment: EnvironmentDetail, kind: ApprovedKind): ApprovalSettings {
  if (kind === 'flag') return environment.approvalSettings;
  return environment.resourceApprovalSettings?.segment ?? NO_APPROVALS;
}

/** As policies name it. */
export function projectResource({ key, tags }: Pick<ProjectDetail, 'key' | 'tags'>): string {
  return tags.length === 0 ? `proj/${key}` : `proj/${key};${tags.join(',')}`;
}

export function environmentResource(
  project: Pick<ProjectDetail, 'key' | 'tags'>,
  { key, tags }: Pick<EnvironmentDetail, 'key' | 'tags'>,
): string {
  const own = tags.length === 0 ? `env/${key}` : `env/${key};${tags.join(',')}`;
  return `${projectResource(project)}:${own}`;
}

export const KEY = /^[a-zA-Z0-9][\w.-]{0,255}$/;

/** Made from the name until somebody writes another one. */
export function keyFrom(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 100);
}
