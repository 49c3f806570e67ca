// The milestones of a repository, with how much of each is done.
import { useState } from 'react';
import { useParams } from 'wouter';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Meter } from '../../ui/chart.tsx';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import type { Milestone } from '../issues/issue.ts';
import { useMilestones } from '../issues/issue-queries.ts';
import { ISSUES } from '../issues/issue-words.ts';
import { useRights } from '../issues/rights.ts';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { dayOf, MilestoneDialog } from './milestone-dialog.tsx';
import { useDeleteMilestone, useSaveMilestone } from './planning-queries.ts';
import { MILESTONES } from './planning-words.ts';
import '../../styles/lists.css';
import '../../styles/issues.css';

const STATES = ['open', 'closed'] as const;

export default function MilestonesPage() {
  const place = useParams<{ owner: string; repo: string }>();
  const home = repositoryHref(place);
  return (
    <RepositoryFrame
      place={place}
      tab="issues"
      crumbs={[{ label: ISSUES.issues, href: `${home}/issues` }, { label: MILESTONES.title }]}
    >
      {(repository) => <MilestoneList place={place} repository={repository} />}
    </RepositoryFrame>
  );
}

function MilestoneList({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const search = useSearchState(`${repositoryHref(place)}/milestones`);
  const state = STATES.find((one) => one === search.get('state')) ?? 'open';
  const { rows, error, retry, hasMore, isReadingMore, readMore } = useMilestones(place, state);
  const { mayTriage } = useRights(repository, undefined);
  const [edited, setEdited] = useState<Milestone | 'new'>();
  useKeys({ c: () => setEdited('new') }, { isOn: mayTriage });
  if (error !== null) return <ReadProblem error={error} onRetry={retry} />;
  const create = mayTriage ? (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setEdited('new')}>
      {MILESTONES.create}
    </Button>
  ) : undefined;
  const columns = mayTriage ? [...COLUMNS, menuColumn(place, setEdited)] : COLUMNS;
  return (
    <>
      <div className="row row--wrap list-bar">
        <Segmented
          label={MILESTONES.stateLabel}
          size="sm"
          value={state}
          options={STATES.map((value) => ({ value, label: MILESTONES.states[value] }))}
          onChange={(next) => search.set({ state: next === 'open' ? undefined : next })}
        />
        <span className="push" />
        {create}
      </div>
      <Table
        label={MILESTONES.title}
        columns={columns}
        rows={rows ?? []}
        rowKey={({ number }) => String(number)}
        rowHref={({ number }) => `${repositoryHref(place)}/issues?milestone=${number}&state=all`}
        isLoading={rows === undefined}
        emptyState={
          <EmptyState
            icon="flag"
            title={MILESTONES.empty.title}
            text={MILESTONES.empty.text}
            action={create}
          />
        }
        footer={
          <ListFoot
            list={{ rows: rows ?? [], hasMore, isReadingMore, readMore }}
            nouns={['milestones', 'milestone']}
          />
        }
      />
      {edited !== undefined && (
        <MilestoneDialog
          place={place}
          milestone={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS: TableColumn<Milestone>[] = [
  {
    id: 'title',
    head: MILESTONES.columns.milestone,
    isMain: true,
    cell: ({ title, description }) => (
      <span className="two">
        <b className="issue-title">{title}</b>
        <small className="cut">{description ?? ''}</small>
      </span>
    ),
  },
  {
    id: 'due',
    head: MILESTONES.columns.due,
    cell: ({ due_on: due }) =>
      due === null ? (
        <span className="muted">{MILESTONES.noDue}</span>
      ) : (
        <span className="nw">{dayOf(due)}</span>
      ),
  },
  {
    id: 'progress',
    head: MILESTONES.columns.progress,
    cell: ({ title, open_issues: open, closed_issues: closed }) => {
      const text = MILESTONES.progress(formatCount(closed), formatCount(open + closed));
      return (
        <span className="milestone__done">
          <Meter label={title} value={closed} max={Math.max(1, open + closed)} text={text} />
          <span className="t12 muted nw">{text}</span>
        </span>
      );
    },
  },
];

function menuColumn(place: RepositoryPlace, onEdit: (milestone: Milestone) => void): TableColumn<Milestone> {
  return {
    id: 'actions',
    head: MILESTONES.more,
    isEnd: true,
    cardLabel: null,
    cell: (milestone) => (
      <MilestoneMenu place={place} milestone={milestone} onEdit={() => onEdit(milestone)} />
    ),
  };
}

interface MilestoneMenuProps {
  place: RepositoryPlace;
  milestone: Milestone;
  onEdit: () => void;
}

function MilestoneMenu({ place, milestone, onEdit }: MilestoneMenuProps) {
  const save = useSaveMilestone(place, milestone.number);
  const remove = useDeleteMilestone(place);
  const [isDeleting, setDeleting] = useState(false);
  const isOpen = milestone.state === 'open';
  return (
    <>
      <ChangeError error={save.error} />
      <Menu
        trigger={
          <Button tone="ghost" size="sm" icon="dots" label={`${MILESTONES.more}: ${milestone.title}`} />
        }
        items={[
          { label: MILESTONES.edit, icon: 'pen', onSelect: onEdit },
          {
            label: isOpen ? MILESTONES.close : MILESTONES.reopen,
            icon: isOpen ? 'ok' : 'redo',
            onSelect: () => save.mutate({ state: isOpen ? 'closed' : 'open' }),
          },
          {
            label: MILESTONES.delete,
            icon: 'trash',
            tone: 'danger',
            hasLine: true,
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {isDeleting && (
        <ConfirmDialog
          title={MILESTONES.deleteTitle(milestone.title)}
          confirmLabel={MILESTONES.deleteConfirm}
          tone="danger"
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={() => remove.mutate(milestone.number, { onSuccess: () => setDeleting(false) })}
          onClose={() => setDeleting(false)}
        >
          {MILESTONES.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
