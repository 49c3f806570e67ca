// Goes to the project that was opened last, else to the first, where an address names none.
import { Redirect, useSearch } from 'wouter';
import { usePageInfo } from '../app/page-info.ts';
import { ReadProblem } from '../lib/read-problem.tsx';
import { PageHead } from '../ui/page.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { lastProject } from './last-place.ts';
import { useProjects } from './queries.ts';
import { WORDS } from './words.ts';

/** `section` is the first part of the path: `flags`. */
export function FirstProject({ section, title }: { section: string; title: string }) {
  usePageInfo([{ label: title }]);
  const query = useSearch();
  const { data, error, refetch } = useProjects();
  const known = lastProject();
  const chosen = data?.items.find(({ key }) => key === known) ?? data?.items[0];
  if (chosen !== undefined) {
    const page = `/${section}/${encodeURIComponent(chosen.key)}`;
    return <Redirect to={query === '' ? page : `${page}?${query}`} replace />;
  }
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={title} />
      {error !== null && <ReadProblem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && (
        <EmptyState icon="flag" title={WORDS.noProjects.title} text={WORDS.noProjects.text} />
      )}
    </main>
  );
}
