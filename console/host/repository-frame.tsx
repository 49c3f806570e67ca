// What every page of a repository has: its name, who can see it, and the tabs of its pages.
import type { ReactNode } from 'react';
import type { OpenCounts } from '../api/types/signalbox.ts';
import { usePageInfo, type Crumb } from '../app/page-info.ts';
import { ReadProblem } from '../lib/read-problem.tsx';
import { PageHead } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { repositoryHref, type RepositoryPlace } from './place.ts';
import { useOpenCounts, useRepository } from './queries.ts';
import type { Repository } from './repository.ts';
import { RepositoryActions } from './repository-actions.tsx';
import { Visibility } from './visibility.tsx';
import { WORDS } from './words.ts';
import '../styles/repository.css';

/** In their order. What has no page yet has no tab. */
const TABS = [
  { id: 'code', label: WORDS.code, path: '' },
  { id: 'commits', label: WORDS.commits, path: '/commits' },
  { id: 'branches', label: WORDS.branches, path: '/branches' },
  { id: 'issues', label: WORDS.issuesTab, path: '/issues' },
  { id: 'pulls', label: WORDS.pullsTab, path: '/pulls' },
  { id: 'security', label: WORDS.securityTab, path: '/security' },
  { id: 'settings', label: WORDS.settingsTab, path: '/settings' },
] as const;

export type RepositoryTab = (typeof TABS)[number]['id'];

export interface RepositoryFrameProps {
  place: RepositoryPlace;
  tab: RepositoryTab;
  /** The way from the repository to this page. */
  crumbs?: readonly Crumb[] | undefined;
  /** The page is about one thing in the repository, and has a head of its own. */
  isBare?: boolean | undefined;
  /** The page itself, once the repository is known. */
  children: (repository: Repository) => ReactNode;
}

export function RepositoryFrame({ place, tab, crumbs = [], isBare = false, children }: RepositoryFrameProps) {
  const { data: repository, error, refetch } = useRepository(place);
  const name = `${place.owner}/${place.repo}`;
  const home = repositoryHref(place);
  const own: Crumb = { label: name, href: home, ...(crumbs.length === 0 && { copy: name }) };
  usePageInfo([{ label: WORDS.code, href: '/code' }, own, ...crumbs]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {repository === undefined ? (
        error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : isBare ? (
        children(repository)
      ) : (
        <>
          <PageHead
            title={repository.full_name}
            badge={<Visibility repository={repository} />}
            actions={
              crumbs.length === 0 ? <RepositoryActions place={place} repository={repository} /> : undefined
            }
            meta={crumbs.length === 0 ? (repository.description ?? WORDS.noDescription) : undefined}
          />
          <RepositoryTabs place={place} repository={repository} current={tab} />
          {children(repository)}
        </>
      )}
    </main>
  );
}

interface RepositoryTabsProps {
  place: RepositoryPlace;
  repository: Repository;
  current: RepositoryTab;
}

function RepositoryTabs({ place, repository, current }: RepositoryTabsProps) {
  const { data } = useOpenCounts(place);
  const home = repositoryHref(place);
  return (
    <Tabs
      label={WORDS.repository}
      items={TABS.filter(({ id }) => isOffered(id, repository)).map(({ id, label, path }) => ({
        href: home + path,
        label,
        ...countOf(id, data),
        isCurrent: id === current,
      }))}
    />
  );
}

/** Nothing where nothing is open. */
function countOf(tab: RepositoryTab, counts: OpenCounts | undefined) {
  if (tab === 'issues') return { count: counts?.issues || undefined };
  if (tab === 'pulls') return { count: counts?.pulls || undefined, hasMore: counts?.hasMorePulls };
  return {};
}

/** Alerts are for those who may write, whether the repository is public or not. */
function isOffered(tab: RepositoryTab, repository: Repository): boolean {
  if (tab === 'issues') return repository.has_issues;
  if (tab === 'pulls') return repository.has_pull_requests;
  if (tab === 'security') return repository.permissions?.push === true;
  return tab !== 'settings' || repository.permissions?.admin === true;
}
