// The analyses of a repository: which tool looked at which commit, and what it found.
import { useState } from 'react';
import { Link } from 'wouter';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Count } from '../../ui/numbers.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { commitHref, type RepositoryPlace } from '../place.ts';
import { shortSha, type Repository } from '../repository.ts';
import { analysesHref, shortRef, type Analysis } from './alert.ts';
import { SecurityFrame, UploadButton, uploadCommand } from './security-frame.tsx';
import { useAnalyses, useDeleteAnalysis } from './security-queries.ts';
import { ANALYSES, SECURITY } from './security-words.ts';
import '../../styles/lists.css';

export default function AnalysesPage() {
  return (
    <SecurityFrame view="analyses">
      {(repository, place) => <Analyses key={repository.full_name} place={place} repository={repository} />}
    </SecurityFrame>
  );
}

function Analyses({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const search = useSearchState(analysesHref(place));
  const filter = { tool: search.get('tool'), ref: search.get('ref') };
  const list = useAnalyses(place, filter);
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <>
      <div className="row row--wrap list-bar">
        {filter.tool !== undefined && (
          <span className="row row--4 row--wrap t13">
            {ANALYSES.only(filter.tool, shortRef(filter.ref ?? ''))}
            <Button size="sm" tone="ghost" onClick={() => search.set({ tool: undefined, ref: undefined })}>
              {ANALYSES.all}
            </Button>
          </span>
        )}
        <span className="push" />
        <UploadButton place={place} />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <Table
        label={SECURITY.views.analyses}
        columns={columnsOf(place, !repository.archived)}
        rows={list.rows}
        rowKey={({ id }) => String(id)}
        isLoading={list.isLoading}
        emptyState={
          <EmptyState
            icon="shield"
            title={SECURITY.none.title}
            text={SECURITY.none.text}
            command={uploadCommand(place)}
          />
        }
        footer={<ListFoot list={list} nouns={ANALYSES.nouns} />}
      />
    </>
  );
}

function columnsOf(place: RepositoryPlace, mayDelete: boolean): TableColumn<Analysis>[] {
  const heads = ANALYSES.columns;
  return [
    {
      id: 'tool',
      head: heads.tool,
      isMain: true,
      cell: ({ tool, warning }) => (
        <span className="two">
          <b className="cut">
            {tool.name} {tool.version}
          </b>
          {warning !== '' && <small>{warning}</small>}
        </span>
      ),
    },
    { id: 'ref', head: heads.ref, cell: ({ ref }) => <code className="key">{shortRef(ref)}</code> },
    {
      id: 'commit',
      head: heads.commit,
      priority: 'mid',
      cell: ({ commit_sha: sha }) => (
        <Link className="ln mono t12" href={commitHref(place, sha)}>
          {shortSha(sha)}
        </Link>
      ),
    },
    {
      id: 'category',
      head: heads.category,
      priority: 'low',
      cell: ({ category }) => (category === '' ? '' : <Badge>{category}</Badge>),
    },
    {
      id: 'results',
      head: heads.results,
      align: 'end',
      cell: ({ results_count: count }) => <Count value={count} />,
    },
    {
      id: 'rules',
      head: heads.rules,
      align: 'end',
      priority: 'low',
      cell: ({ rules_count: count }) => <Count value={count} />,
    },
    { id: 'created', head: heads.created, cell: ({ created_at: at }) => <Time at={at} /> },
    ...(mayDelete
      ? [
          {
            id: 'actions',
            head: <span className="vh">{ANALYSES.actions}</span>,
            isEnd: true,
            cardLabel: null,
            cell: (analysis: Analysis) => <AnalysisMenu place={place} analysis={analysis} />,
          },
        ]
      : []),
  ];
}

function AnalysisMenu({ place, analysis }: { place: RepositoryPlace; analysis: Analysis }) {
  const [isAsked, setAsked] = useState(false);
  const remove = useDeleteAnalysis(place, analysis.id);
  // The API says so when it refuses the deletion of the last one.
  const isLast = remove.error?.status === 400 && remove.error.message.includes('confirm_delete');
  return (
    <>
      <Menu
        trigger={<Button tone="ghost" size="sm" icon="dots" label={ANALYSES.more(analysis.id)} />}
        items={[
          {
            label: ANALYSES.delete,
            icon: 'trash',
            tone: 'danger',
            disabledReason: analysis.deletable ? undefined : ANALYSES.notNewest,
            onSelect: () => {
              remove.reset();
              setAsked(true);
            },
          },
        ]}
      />
      {isAsked && (
        <ConfirmDialog
          title={ANALYSES.deleteTitle}
          confirmLabel={isLast ? ANALYSES.deleteLast : ANALYSES.deleteConfirm}
          tone="danger"
          isBusy={remove.isPending}
          error={isLast ? undefined : (remove.error ?? undefined)}
          onConfirm={() => remove.mutate({ isConfirmed: isLast }, { onSuccess: () => setAsked(false) })}
          onClose={() => setAsked(false)}
        >
          {isLast ? ANALYSES.lastText : ANALYSES.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
