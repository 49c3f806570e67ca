// The projects that one may see.
import { useLocation } from 'wouter';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { useProjectList, type ProjectDetail } from './environments-queries.ts';
import { CASES, PAGE_WORDS } from './environments-words.ts';
import { nameColumn, PlaceList, tagsColumn } from './place-list.tsx';
import { ProjectDialog } from './project-dialog.tsx';

const CREATING = { action: 'createProject', resource: 'proj/*' };

const COLUMNS: TableColumn<ProjectDetail>[] = [
  nameColumn(),
  tagsColumn(),
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
  const [, navigate] = useLocation();
  const sort = search.get('sort') ?? 'name';
  const list = useProjectList(search.get('q'), sort);
  const may = useMay([CREATING]);
  const create = () => search.set({ new: '1' });
  useKeys({ c: create }, { isOn: may?.[0] !== false });
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
      <PlaceList
        list={list}
        columns={COLUMNS}
        search={search}
        sort={sort}
        usualSort="name"
        hrefOf={({ key }) => `/environments/${encodeURIComponent(key)}`}
        words={{
          label: PAGE_WORDS.projects,
          filter: PAGE_WORDS.filterProjects,
          empty: { icon: 'folder', ...PAGE_WORDS.noProjects },
          nouns: PAGE_WORDS.projectNouns,
        }}
      />
      {search.get('new') !== undefined && may?.[0] === true && (
        <ProjectDialog
          onClose={() => search.set({ new: undefined })}
          onSaved={({ key }) => navigate(`/environments/${encodeURIComponent(key)}`)}
        />
      )}
    </main>
  );
}
