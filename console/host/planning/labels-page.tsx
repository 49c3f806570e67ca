// The labels of a repository.
import { useState } from 'react';
import { useParams } from 'wouter';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { ListFoot } from '../../lib/list-foot.tsx';
import type { Label } from '../issues/issue.ts';
import { useLabels } from '../issues/issue-queries.ts';
import { LabelTag } from '../issues/label-tag.tsx';
import { ISSUES } from '../issues/issue-words.ts';
import { useRights } from '../issues/rights.ts';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { LabelDialog } from './label-dialog.tsx';
import { useDeleteLabel } from './planning-queries.ts';
import { LABELS } from './planning-words.ts';
import '../../styles/lists.css';

export default function LabelsPage() {
  const place = useParams<{ owner: string; repo: string }>();
  const home = repositoryHref(place);
  return (
    <RepositoryFrame
      place={place}
      tab="issues"
      crumbs={[{ label: ISSUES.issues, href: `${home}/issues` }, { label: LABELS.title }]}
    >
      {(repository) => <LabelList place={place} repository={repository} />}
    </RepositoryFrame>
  );
}

function LabelList({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const { rows, error, retry, hasMore, isReadingMore, readMore } = useLabels(place);
  const search = useSearchState(`${repositoryHref(place)}/labels`);
  const [typed, setTyped] = useTypedFilter(search);
  const { mayTriage } = useRights(repository, undefined);
  const [edited, setEdited] = useState<Label | 'new'>();
  const [deleted, setDeleted] = useState<Label>();
  useKeys({ c: () => setEdited('new') }, { isOn: mayTriage });
  if (error !== null) return <ReadProblem error={error} onRetry={retry} />;
  const words = (search.get('q') ?? '').toLowerCase();
  const shown = (rows ?? []).filter(({ name, description }) =>
    `${name} ${description ?? ''}`.toLowerCase().includes(words),
  );
  const create = mayTriage ? (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setEdited('new')}>
      {LABELS.create}
    </Button>
  ) : undefined;
  const columns = mayTriage ? [...COLUMNS, actionsColumn(setEdited, setDeleted)] : COLUMNS;
  return (
    <>
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={LABELS.filter} />
        </div>
        {create}
      </div>
      <Table
        label={LABELS.title}
        columns={columns}
        rows={shown}
        rowKey={({ id }) => String(id)}
        rowHref={({ name }) => `${repositoryHref(place)}/issues?label=${encodeURIComponent(name)}`}
        isLoading={rows === undefined}
        emptyState={
          <EmptyState icon="tag" title={LABELS.empty.title} text={LABELS.empty.text} action={create} />
        }
        footer={<ListFoot list={{ rows: shown, hasMore, isReadingMore, readMore }} nouns={LABELS.nouns} />}
      />
      {edited !== undefined && (
        <LabelDialog
          place={place}
          label={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted !== undefined && (
        <DeleteLabel place={place} label={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </>
  );
}

const COLUMNS: TableColumn<Label>[] = [
  {
    id: 'label',
    head: LABELS.columns.label,
    isMain: true,
    cell: (label) => <LabelTag label={label} />,
  },
  {
    id: 'description',
    head: LABELS.columns.description,
    cell: ({ description }) => <span className="muted">{description ?? ''}</span>,
  },
];

function actionsColumn(onEdit: (label: Label) => void, onDelete: (label: Label) => void): TableColumn<Label> {
  return {
    id: 'actions',
    head: LABELS.actions,
    isEnd: true,
    cardLabel: null,
    cell: (label) => (
      <span className="row row--4">
        <Button
          tone="ghost"
          size="sm"
          icon="pen"
          label={LABELS.edit(label.name)}
          onClick={() => onEdit(label)}
        />
        <Button
          tone="ghost"
          size="sm"
          icon="trash"
          label={LABELS.delete(label.name)}
          onClick={() => onDelete(label)}
        />
      </span>
    ),
  };
}

interface DeleteLabelProps {
  place: RepositoryPlace;
  label: Label;
  onClose: () => void;
}

function DeleteLabel({ place, label, onClose }: DeleteLabelProps) {
  const remove = useDeleteLabel(place);
  return (
    <ConfirmDialog
      title={LABELS.deleteTitle(label.name)}
      confirmLabel={LABELS.deleteConfirm}
      tone="danger"
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onConfirm={() => remove.mutate(label.name, { onSuccess: onClose })}
      onClose={onClose}
    >
      {LABELS.deleteText}
    </ConfirmDialog>
  );
}
