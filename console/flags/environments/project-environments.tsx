// One project: its environments, and what can be done to it.
import { useLocation } from 'wouter';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, type SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { EnvironmentDot } from '../environment-name.tsx';
import { isGuarded, mayNeedApproval } from '../save/guard.ts';
import { EnvironmentDialog } from './environment-dialog.tsx';
import { EnvironmentPanel } from './environment-panel.tsx';
import {
  projectResource,
  useEnvironmentList,
  useProject,
  type EnvironmentDetail,
  type ProjectDetail,
} from './environments-queries.ts';
import { PAGE_WORDS } from './environments-words.ts';
import { DeleteProjectDialog } from './delete-dialogs.tsx';
import { nameColumn, PlaceList, tagsColumn, Tags } from './place-list.tsx';
import { ProjectDialog } from './project-dialog.tsx';

const COLUMNS: TableColumn<EnvironmentDetail>[] = [
  nameColumn(({ color }) => <EnvironmentDot color={color} />),
  { id: 'guards', head: PAGE_WORDS.guards, cell: (environment) => <Guards environment={environment} /> },
  tagsColumn(),
];

const FEW_COLUMNS = COLUMNS.filter(({ id }) => id !== 'tags');

function Guards({ environment }: { environment: EnvironmentDetail }) {
  const { critical, confirmChanges, requireComments } = environment;
  if (!isGuarded(environment)) return <span className="muted">{PAGE_WORDS.unguarded}</span>;
  return (
    <span className="row row--4 row--wrap">
      {critical && (
        <Badge tone="prod" icon="shield">
          {PAGE_WORDS.critical}
        </Badge>
      )}
      {confirmChanges && <Badge>{PAGE_WORDS.confirms}</Badge>}
      {requireComments && <Badge>{PAGE_WORDS.comments}</Badge>}
      {mayNeedApproval(environment) && <Badge tone="acc">{PAGE_WORDS.approvals}</Badge>}
    </span>
  );
}

export function ProjectEnvironments({ project: key }: { project: string }) {
  const page = `/environments/${encodeURIComponent(key)}`;
  const search = useSearchState(page);
  const { data: project, error, refetch } = useProject(key);
  const sort = search.get('sort');
  const list = useEnvironmentList(key, search.get('q'), sort);
  const open = search.get('env');
  usePageInfo([
    { label: PAGE_WORDS.title, href: '/environments' },
    { label: project?.name ?? key, href: page, copy: key },
  ]);
  if (error !== null && project === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        <ReadProblem error={error} onRetry={() => void refetch()} />
      </main>
    );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={project?.name ?? key}
        badge={<Key copyLabel={PAGE_WORDS.copyKey(key)}>{key}</Key>}
        meta={project !== undefined && project.tags.length > 0 ? <Tags tags={project.tags} /> : undefined}
        actions={project !== undefined && <ProjectActions project={project} search={search} />}
      />
      <PlaceList
        list={list}
        columns={open === undefined ? COLUMNS : FEW_COLUMNS}
        search={search}
        sort={sort}
        hrefOf={(one) => search.href({ env: one.key })}
        words={{
          label: PAGE_WORDS.environments,
          filter: PAGE_WORDS.filterEnvironments,
          empty: { icon: 'sliders', ...PAGE_WORDS.noEnvironments },
          nouns: PAGE_WORDS.environmentNouns,
        }}
        panel={
          open !== undefined && project !== undefined ? (
            <EnvironmentPanel
              key={open}
              project={project}
              environment={open}
              onClose={() => search.set({ env: undefined })}
            />
          ) : undefined
        }
      />
    </main>
  );
}

function ProjectActions({ project, search }: { project: ProjectDetail; search: SearchState }) {
  const [, navigate] = useLocation();
  const resource = projectResource(project);
  const [mayCreate, mayEdit, mayDelete] =
    useMay([
      { action: 'createEnvironment', resource: `${resource}:env/*` },
      { action: 'updateProjectName', resource },
      { action: 'deleteProject', resource },
    ]) ?? [];
  const close = () => search.set({ act: undefined });
  const act = search.get('act');
  useKeys({ c: () => search.set({ act: 'new' }) }, { isOn: mayCreate === true });
  return (
    <>
      <Menu
        trigger={<Button icon="dots" label={PAGE_WORDS.moreActions} />}
        items={[
          {
            label: PAGE_WORDS.flagsOfProject,
            icon: 'flag',
            href: `/flags/${encodeURIComponent(project.key)}`,
          },
          ...(mayEdit === true
            ? [
                {
                  label: PAGE_WORDS.editProject,
                  icon: 'pen' as const,
                  onSelect: () => search.set({ act: 'edit' }),
                },
              ]
            : []),
          ...(mayDelete === true
            ? [
                {
                  label: PAGE_WORDS.deleteProject,
                  icon: 'trash' as const,
                  tone: 'danger' as const,
                  hasLine: true,
                  onSelect: () => search.set({ act: 'delete' }),
                },
              ]
            : []),
        ]}
      />
      {mayCreate === true && (
        <Button tone="primary" icon="plus" keys="c" onClick={() => search.set({ act: 'new' })}>
          {PAGE_WORDS.newEnvironment}
        </Button>
      )}
      {act === 'new' && mayCreate === true && (
        <EnvironmentDialog
          project={project}
          onClose={close}
          onSaved={(key) => search.set({ act: undefined, env: key, q: undefined })}
        />
      )}
      {act === 'edit' && mayEdit === true && (
        <ProjectDialog project={project} onClose={close} onSaved={close} />
      )}
      {act === 'delete' && mayDelete === true && (
        <DeleteProjectDialog project={project} onClose={close} onDeleted={() => navigate('/environments')} />
      )}
    </>
  );
}
