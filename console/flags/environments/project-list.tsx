// The projects that one may see.
import '../../styles/lists.css';
import { useLocation } from 'wouter';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tag } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { useProjectList, type ProjectDetail } from './environments-queries.ts';
import { CASES, PAGE_WORDS } from './environments-words.ts';
import { ProjectDialog } from './project-dialog.tsx';

const CREATING = { action: 'createProject', resource: 'proj/*' };

const COLUMNS: TableColumn<ProjectDetail>[] = [
  {
    id: 'name',
    head: PAGE_WORDS.name,
    isMain: true,
    sort: 'name',
    cell: ({ name, key }) => (
      <span className="two">
        <b className="cut">{name}</b>
        <small className="mono cut">{key}</small>
      </span>
    ),
    aside: ({ key }) => <CopyButton text={key} label={PAGE_WORDS.copyKey(key)} />,
  },
  {
    id: 'tags',
    head: PAGE_WORDS.tags,
    priority: 'mid',
    cell: ({ tags }) => (
      <span className="row row--4 row--wrap">
        {tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'naming',
    head: PAGE_WORDS.naming,
    priority: 'low',
    cell: ({ namingConvention: { case: form = 'none', prefix = '' } = {} }) => (
      <span className="muted">
        {CASES[form] ?? form}
        {prefix !== '' && <code> {prefix}…</code>}
      </span>
    ),
  },
];

export function ProjectList() {
  usePageInfo([{ label: PAGE_WORDS.title }]);
  const search = useSearchState('/environments');
  const [typed, setTyped] = useTypedFilter(search);
  const [, navigate] = useLocation();
  const sort = search.get('sort') ?? 'name';
  const words = search.get('q');
  const list = useProjectList(words, sort);
  const may = useMay([CREATING]);
  const create = () => search.set({ new: '1' });
  useKeys({ c: create }, { isOn: may?.[0] === true });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={PAGE_WORDS.title}
        meta={PAGE_WORDS.text}
        actions={
          may?.[0] === true && (
            <Button tone="primary" icon="plus" keys="c" onClick={create}>
              {PAGE_WORDS.newProject}
            </Button>
          )
        }
      />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={PAGE_WORDS.filterProjects} />
        </div>
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={PAGE_WORDS.projects}
          columns={COLUMNS}
          rows={list.rows}
          rowKey={({ key }) => key}
          rowHref={({ key }) => `/environments/${encodeURIComponent(key)}`}
          sort={sort}
          onSort={(next) => search.set({ sort: next === 'name' ? undefined : next })}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            words === undefined ? (
              <EmptyState
                icon="folder"
                title={PAGE_WORDS.noProjects.title}
                text={PAGE_WORDS.noProjects.text}
              />
            ) : (
              <NoMatch words={PAGE_WORDS.noMatch} onClear={() => setTyped('')} />
            )
          }
          footer={<ListFoot list={list} nouns={PAGE_WORDS.projectNouns} />}
        />
      )}
      {search.get('new') !== undefined && may?.[0] === true && (
        <ProjectDialog
          onClose={() => search.set({ new: undefined })}
          onSaved={({ key }) => navigate(`/environments/${encodeURIComponent(key)}`)}
        />
      )}
    </main>
  );
}
