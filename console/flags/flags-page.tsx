// The flags of a project: what is on where, and what it serves. Nothing is written here.
import { Redirect, useLocation, useParams } from 'wouter';
import { usePageInfo } from '../app/page-info.ts';
import { prefetch } from '../api/read.ts';
import { ListFoot, NoMatch } from '../lib/list-foot.tsx';
import { NewRows } from '../lib/new-rows.tsx';
import { NextNote } from '../lib/next-note.tsx';
import { ReadProblem } from '../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../lib/search-state.ts';
import { formatCount } from '../ui/format.ts';
import { FilterInput, SelectInput } from '../ui/input.tsx';
import { PageHead } from '../ui/page.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { EnvironmentsMenu } from './environments-menu.tsx';
import { useFlagColumns } from './flag-columns.tsx';
import { lastProject, rememberProject } from './last-project.ts';
import { flagRead, useEnvironments, useFlags, useProjects, type Project } from './queries.ts';
import { WORDS } from './words.ts';

/** Unless the address says otherwise: more columns than these are asked for. */
const USUAL_ENVIRONMENTS = 3;
const NEWEST = '-creationDate';

export default function FlagsPage() {
  const { project } = useParams<{ project?: string }>();
  return project === undefined ? <FirstProject /> : <ProjectFlags key={project} project={project} />;
}

/** Without a project the one that was opened last is shown, else the first. */
function FirstProject() {
  usePageInfo([{ label: WORDS.flags }]);
  const { data, error, refetch } = useProjects();
  const known = lastProject();
  const chosen = data?.items.find(({ key }) => key === known) ?? data?.items[0];
  if (chosen !== undefined) return <Redirect to={`/flags/${encodeURIComponent(chosen.key)}`} replace />;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={WORDS.flags} />
      {error !== null && <ReadProblem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && (
        <EmptyState icon="flag" title={WORDS.noProjects.title} text={WORDS.noProjects.text} />
      )}
    </main>
  );
}

function ProjectFlags({ project }: { project: string }) {
  const page = `/flags/${encodeURIComponent(project)}`;
  const search = useSearchState(page);
  const [typed, setTyped] = useTypedFilter(search);
  const environments = useEnvironments(project);
  const known = environments.data?.items;
  const chosen = search.get('env')?.split(',') ?? known?.slice(0, USUAL_ENVIRONMENTS).map(({ key }) => key);
  const shown = known === undefined ? undefined : known.filter(({ key }) => chosen?.includes(key));
  const sort = search.get('sort') ?? NEWEST;
  const words = search.get('q');
  const list = useFlags({ project, environments: shown?.map(({ key }) => key), words, sort });
  const columns = useFlagColumns(shown);
  const name = useProjectName(project);
  usePageInfo([
    { label: WORDS.flags, href: '/flags' },
    { label: name, href: page, copy: project },
  ]);
  if (environments.isSuccess) rememberProject(project);
  const error = environments.error ?? list.error;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.flags}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        actions={<ProjectSwitcher project={project} />}
      />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput
            value={typed}
            onChange={setTyped}
            label={WORDS.filter}
            placeholder={WORDS.placeholder}
          />
        </div>
        {known !== undefined && (
          <EnvironmentsMenu
            environments={known}
            chosen={chosen ?? []}
            onChoose={(keys) => search.set({ env: keys.join(',') })}
          />
        )}
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {error !== null ? (
        <ReadProblem
          error={error}
          onRetry={() => {
            void environments.refetch();
            list.retry();
          }}
        />
      ) : (
        <Table
          label={WORDS.table}
          columns={columns}
          rows={list.rows}
          rowKey={({ key }) => key}
          rowHref={({ key }) => `${page}/${encodeURIComponent(key)}`}
          onPrefetch={({ key }) => prefetch(flagRead(project, key))}
          sort={sort}
          onSort={(next) => search.set({ sort: next === NEWEST ? undefined : next })}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            words === undefined ? <NoFlags /> : <NoMatch words={WORDS.noMatch} onClear={() => setTyped('')} />
          }
          footer={
            <ListFoot
              shown={list.rows.length}
              total={list.total}
              nouns={WORDS.nouns}
              hasMore={list.hasMore}
              isReadingMore={list.isReadingMore}
              onMore={list.readMore}
            />
          }
        />
      )}
      <NextNote>{WORDS.listNext}</NextNote>
    </main>
  );
}

function useProjectName(project: string): string {
  const { data } = useProjects();
  return data?.items.find(({ key }) => key === project)?.name ?? project;
}

function ProjectSwitcher({ project }: { project: string }) {
  const [, navigate] = useLocation();
  const { data } = useProjects();
  const listed = data?.items ?? [];
  const own: Project[] = listed.some(({ key }) => key === project) ? [] : [{ key: project, name: project }];
  return (
    <label className="row">
      <span className="muted t13">{WORDS.project}</span>
      <SelectInput
        value={project}
        onValue={(key) => navigate(`/flags/${encodeURIComponent(key)}`)}
        options={[...own, ...listed].map(({ key, name }) => ({ value: key, label: name }))}
      />
    </label>
  );
}

function NoFlags() {
  return <EmptyState icon="flag" title={WORDS.empty.title} text={WORDS.empty.text} />;
}
