// The pages of the console and the navigation to them. Each is loaded when it is first opened, or pointed at.
import { lazy, type ComponentType } from 'react';
import type { IconName } from '../ui/icon.tsx';
import { NAV } from './words.ts';

type Load = () => Promise<{ default: ComponentType }>;

interface PageRoute {
  /** Below the console. */
  path: string;
  load: Load;
  Page: ComponentType;
}

function page(path: string, load: Load): PageRoute {
  return { path, load, Page: lazy(load) };
}

/** The first that fits is shown. */
export const PAGES: readonly PageRoute[] = [
  page('/', () => import('../home/home-page.tsx')),
  page('/search', () => import('../home/search-page.tsx')),
  page('/flags', () => import('../flags/list/flags-page.tsx')),
  page('/flags/:project', () => import('../flags/list/flags-page.tsx')),
  page('/flags/:project/:flag/*?', () => import('../flags/flag/flag-page.tsx')),
  page('/environments', () => import('../flags/environments/environments-page.tsx')),
  page('/environments/:project', () => import('../flags/environments/environments-page.tsx')),
  page('/new-flag', () => import('../flags/new-flag/new-flag-page.tsx')),
  page('/new-flag/:project', () => import('../flags/new-flag/new-flag-page.tsx')),
  page('/segments', () => import('../flags/segments/segments-page.tsx')),
  page('/segments/:project', () => import('../flags/segments/segments-page.tsx')),
  page('/segments/:project/:segment', () => import('../flags/segments/segment-page.tsx')),
  page('/compare', () => import('../flags/compare/compare-page.tsx')),
  page('/compare/:project', () => import('../flags/compare/compare-page.tsx')),
  page('/approvals', () => import('../flags/approvals/approvals-page.tsx')),
  page('/approvals/:id', () => import('../flags/approvals/approval-page.tsx')),
  page('/store', () => import('../actors/store/store-page.tsx')),
  page('/usage', () => import('../actors/usage/usage-page.tsx')),
  page('/actors', () => import('../actors/actors/actors-page.tsx')),
  page('/actors/:actor/*?', () => import('../actors/actor/actor-page.tsx')),
  page('/runs', () => import('../actors/runs/runs-page.tsx')),
  page('/runs/:id/*?', () => import('../actors/run/run-page.tsx')),
  page('/tasks', () => import('../actors/tasks/tasks-page.tsx')),
  page('/tasks/:id/*?', () => import('../actors/tasks/task-page.tsx')),
  page('/schedules', () => import('../actors/schedules/schedules-page.tsx')),
  page('/schedules/:id', () => import('../actors/schedules/schedule-page.tsx')),
  page('/storage', () => import('../actors/storage/storages-page.tsx')),
  page('/storage/:kind', () => import('../actors/storage/storages-page.tsx')),
  page('/storage/:kind/:id', () => import('../actors/storage/storage-page.tsx')),
  page('/code', () => import('../host/repositories-page.tsx')),
  page('/code/:owner/:repo', () => import('../host/files/files-page.tsx')),
  page('/code/:owner/:repo/tree/*?', () => import('../host/files/files-page.tsx')),
  page('/code/:owner/:repo/blob/*?', () => import('../host/files/files-page.tsx')),
  page('/code/:owner/:repo/commits/*?', () => import('../host/commits/commits-page.tsx')),
  page('/code/:owner/:repo/commit/:sha', () => import('../host/commits/commit-page.tsx')),
  page('/code/:owner/:repo/compare/*?', () => import('../host/commits/compare-page.tsx')),
  page('/code/:owner/:repo/branches', () => import('../host/branches/branches-page.tsx')),
  page('/code/:owner/:repo/tags', () => import('../host/branches/branches-page.tsx')),
  page('/code/:owner/:repo/issues', () => import('../host/issues/issues-page.tsx')),
  page('/code/:owner/:repo/issues/new', () => import('../host/issues/new-issue-page.tsx')),
  page('/code/:owner/:repo/issues/:number', () => import('../host/issues/issue-page.tsx')),
  page('/code/:owner/:repo/pulls', () => import('../host/pulls/pulls-page.tsx')),
  page('/code/:owner/:repo/pulls/new', () => import('../host/pulls/new-pull-page.tsx')),
  page('/code/:owner/:repo/pulls/:number', () => import('../host/pulls/pull-page.tsx')),
  page('/code/:owner/:repo/pulls/:number/:tab', () => import('../host/pulls/pull-page.tsx')),
  page('/code/:owner/:repo/settings', () => import('../host/settings/general-page.tsx')),
  page('/code/:owner/:repo/settings/access', () => import('../host/settings/access-page.tsx')),
  page('/code/:owner/:repo/settings/branches/*?', () => import('../host/protection/protection-page.tsx')),
  page('/code/:owner/:repo/settings/webhooks', () => import('../host/hooks/hooks-page.tsx')),
  page('/code/:owner/:repo/labels', () => import('../host/planning/labels-page.tsx')),
  page('/code/:owner/:repo/milestones', () => import('../host/planning/milestones-page.tsx')),
  page('/code/:owner/:repo/security', () => import('../host/security/alerts-page.tsx')),
  page('/code/:owner/:repo/security/analyses', () => import('../host/security/analyses-page.tsx')),
  page('/code/:owner/:repo/security/code-scanning/:number', () => import('../host/security/alert-page.tsx')),
  page('/issues', () => import('../host/issues/own-issues-page.tsx')),
  page('/pulls', () => import('../host/issues/own-issues-page.tsx')),
  page('/gists', () => import('../host/gists/gists-page.tsx')),
  page('/gists/new', () => import('../host/gists/new-gist-page.tsx')),
  page('/gists/:id', () => import('../host/gists/gist-page.tsx')),
  page('/gists/:id/edit', () => import('../host/gists/edit-gist-page.tsx')),
  page('/gists/:id/:tab', () => import('../host/gists/gist-page.tsx')),
  page('/orgs', () => import('../host/orgs/orgs-page.tsx')),
  page('/orgs/:org', () => import('../host/orgs/org-page.tsx')),
  page('/orgs/:org/:tab', () => import('../host/orgs/org-page.tsx')),
  page('/orgs/:org/teams/:team', () => import('../host/orgs/team-page.tsx')),
  page('/alerts', () => import('../host/security/all-alerts-page.tsx')),
  page('/limits', () => import('../host/limits/limits-page.tsx')),
  page('/versions/upgrade', () => import('../host/versions/upgrade-page.tsx')),
  page('/versions', () => import('../host/versions/versions-page.tsx')),
  page('/account/members', () => import('../account/members/members-page.tsx')),
  page('/account/teams', () => import('../account/teams/teams-page.tsx')),
  page('/account/roles', () => import('../account/roles/roles-page.tsx')),
  page('/account/roles/new', () => import('../account/roles/new-role-page.tsx')),
  page('/account/roles/:key', () => import('../account/roles/role-page.tsx')),
  page('/account/tester', () => import('../account/tester/tester-page.tsx')),
  page('/account/tokens', () => import('../account/tokens/tokens-page.tsx')),
  page('/account/apps', () => import('../account/apps/apps-page.tsx')),
  page('/account/webhooks', () => import('../account/webhooks/webhooks-page.tsx')),
  page('/account/audit', () => import('../account/audit/audit-page.tsx')),
  page('/account/system', () => import('../account/system/system-page.tsx')),
  page('/account/settings', () => import('../account/settings/settings-page.tsx')),
  // Everything in every state, for those who work on the console; the navigation does not lead there.
  page('/_states', () => import('../states/states-page.tsx')),
];

/** The page at this address below the console. */
function pageAt(href: string): PageRoute | undefined {
  const [path = ''] = href.split(/[?#]/, 1);
  const parts = path.split('/');
  return PAGES.find((one) => {
    const wanted = one.path.split('/');
    const hasRest = wanted.at(-1) === '*?';
    const fixed = hasRest ? wanted.slice(0, -1) : wanted;
    return (
      (hasRest ? parts.length >= fixed.length : parts.length === fixed.length) &&
      fixed.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
    );
  });
}

export function hasPage(href: string): boolean {
  return pageAt(href) !== undefined;
}

/** Loads the code of a page before it is opened. */
export function preload(href: string): void {
  void pageAt(href)
    ?.load()
    .catch(() => undefined);
}

export interface NavItem {
  label: string;
  href: string;
  /** Pages elsewhere that belong to it. */
  also?: readonly string[];
  /** What is counted beside it while something waits. */
  waiting?: 'approvals';
}

export interface NavSection {
  label: string;
  icon: IconName;
  href?: string;
  items?: readonly NavItem[];
}

export const NAVIGATION: readonly NavSection[] = [
  { label: NAV.home, icon: 'home', href: '/' },
  {
    label: NAV.flags,
    icon: 'flag',
    items: [
      { label: NAV.flags, href: '/flags', also: ['/new-flag', '/compare'] },
      { label: NAV.segments, href: '/segments' },
      { label: NAV.environments, href: '/environments' },
      { label: NAV.approvals, href: '/approvals', waiting: 'approvals' },
    ],
  },
  {
    label: NAV.actors,
    icon: 'actor',
    items: [
      { label: NAV.store, href: '/store' },
      { label: NAV.actors, href: '/actors' },
      { label: NAV.runs, href: '/runs' },
      { label: NAV.tasks, href: '/tasks' },
      { label: NAV.schedules, href: '/schedules' },
      { label: NAV.storage, href: '/storage' },
      { label: NAV.usage, href: '/usage' },
    ],
  },
  {
    label: NAV.code,
    icon: 'code',
    items: [
      { label: NAV.repositories, href: '/code' },
      { label: NAV.issues, href: '/issues' },
      { label: NAV.pulls, href: '/pulls' },
      { label: NAV.gists, href: '/gists' },
      { label: NAV.alerts, href: '/alerts' },
      { label: NAV.orgs, href: '/orgs' },
      { label: NAV.limits, href: '/limits' },
      { label: NAV.versions, href: '/versions' },
    ],
  },
  {
    label: NAV.account,
    icon: 'user',
    items: [
      { label: NAV.members, href: '/account/members' },
      { label: NAV.teams, href: '/account/teams' },
      { label: NAV.roles, href: '/account/roles', also: ['/account/tester'] },
      { label: NAV.tokens, href: '/account/tokens' },
      { label: NAV.apps, href: '/account/apps' },
      { label: NAV.webhooks, href: '/account/webhooks' },
      { label: NAV.audit, href: '/account/audit' },
      { label: NAV.system, href: '/account/system' },
      { label: NAV.settings, href: '/account/settings' },
    ],
  },
];
