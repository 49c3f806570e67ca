// The segments of a project in one environment. The address holds the environment, the filter and the order.
import '../../styles/lists.css';
import '../../styles/segments.css';
import { Redirect, useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { prefetch } from '../../api/read.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { lastProject, rememberProject } from '../last-place.ts';
import { presentEnvironment } from '../present-environment.ts';
import { useSegmentPermissions } from '../permissions.ts';
import { useEnvironments, useProjects } from '../queries.ts';
import { NewSegmentDialog } from './new-segment.tsx';
import { SEGMENT_COLUMNS } from './segment-columns.tsx';
import { hrefOf } from './segment-links.ts';
import { segmentRead, useSegments } from './segments-queries.ts';
import { SEGMENTS } from './segments-words.ts';

const NEWEST = '-creationDate';

export default function SegmentsPage() {
  const { project } = useParams<{ project?: string }>();
  return project === undefined ? <FirstProject /> : <ProjectSegments key={project} project={project} />;
}

/** Without a project the one that was opened last is shown, else the first. */
function FirstProject() {
  usePageInfo([{ label: SEGMENTS.title }]);
  const { data, error, refetch } = useProjects();
  const known = lastProject();
  const chosen = data?.items.find(({ key }) => key === known) ?? data?.items[0];
  if (chosen !== undefined) return <Redirect to={`/segments/${encodeURIComponent(chosen.key)}`} replace />;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={SEGMENTS.title} />
      {error !== null && <ReadProblem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && <EmptyState icon="users" title={SEGMENTS.noProject} />}
    </main>
  );
}

function ProjectSegments({ project }: { project: string }) {
  const page = `/segments/${encodeURIComponent(project)}`;
  const search = useSearchState(page);
  const [typed, setTyped] = useTypedFilter(search);
  const environments = useEnvironments(project);
  const projects = useProjects().data?.items ?? [];
  const name = projects.find(({ key }) => key === project)?.name ?? project;
  const known = environments.data?.items;
  const environment = presentEnvironment(known, project, search.get('env'))?.key;
  const sort = search.get('sort') ?? NEWEST;
  const words = search.get('q');
  const list = useSegments({ project, environment, words, sort });
  const isCreating = search.get('new') !== undefined;
  const setCreating = (isOn: boolean) => search.set({ new: isOn ? '1' : undefined });
  const permissions = useSegmentPermissions(project, environment);
  const mayCreate = permissions.may('createSegment');
  useKeys({ c: () => setCreating(true) }, { isOn: permissions.isKnown && mayCreate });
  usePageInfo([
    { label: SEGMENTS.title, href: '/segments' },
    { label: name, href: page, copy: project },
  ]);
  if (environments.isSuccess) rememberProject(project);
  const error = environments.error ?? list.error;
  const retry = () => {
    void environments.refetch();
    list.retry();
  };
  const createButton = mayCreate && (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
      {SEGMENTS.create}
    </Button>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={SEGMENTS.title}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        meta={SEGMENTS.text}
        actions={createButton}
      />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput
            value={typed}
            onChange={setTyped}
            label={SEGMENTS.filter}
            placeholder={SEGMENTS.placeholder}
          />
        </div>
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {error !== null ? (
        <ReadProblem error={error} onRetry={retry} />
      ) : known?.length === 0 ? (
        <EmptyState icon="users" title={SEGMENTS.noEnvironment} />
      ) : (
        <Table
          label={SEGMENTS.table}
          columns={SEGMENT_COLUMNS}
          rows={list.rows}
          rowKey={({ key }) => key}
          rowHref={({ key }) => hrefOf(project, environment, key)}
          onPrefetch={({ key }) => prefetch(segmentRead({ project, environment: environment ?? '', key }))}
          sort={sort}
          onSort={(next) => search.set({ sort: next === NEWEST ? undefined : next })}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            words === undefined ? (
              <EmptyState
                icon="users"
                title={SEGMENTS.empty.title}
                text={SEGMENTS.empty.text}
                action={createButton || undefined}
              />
            ) : (
              <NoMatch words={SEGMENTS.noMatch} onClear={() => setTyped('')} />
            )
          }
          footer={<ListFoot list={list} nouns={SEGMENTS.nouns} />}
        />
      )}
      {isCreating && mayCreate && environment !== undefined && (
        <NewSegmentDialog project={project} environment={environment} onClose={() => setCreating(false)} />
      )}
    </main>
  );
}
