// Issues or pull requests in a table: of one repository, or of all.
import type { useListPages } from '../../lib/list-pages.ts';
import { prefetch } from '../../api/read.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { formatCount } from '../../ui/format.ts';
import { Count } from '../../ui/numbers.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { ReactNode } from 'react';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import { issueRead } from './issue-queries.ts';
import { LabelTag } from './label-tag.tsx';
import { loginOf, type Issue } from './issue.ts';
import { StateOf } from './issue-state.tsx';
import { ISSUES } from './issue-words.ts';
import '../../styles/lists.css';
import '../../styles/issues.css';

export const LATEST = '-created';

export interface IssueTableProps {
  list: ReturnType<typeof useListPages<Issue[], Issue>>;
  arePulls: boolean;
  /** Undefined in the list of all repositories. */
  place?: RepositoryPlace | undefined;
  search: SearchState;
  isFiltered: boolean;
  onClear: () => void;
  empty: { title: string; text: string };
  action?: ReactNode;
}

export function issueHref(place: RepositoryPlace, { number, pull_request: pull }: Issue): string {
  return `${repositoryHref(place)}/${pull === undefined ? 'issues' : 'pulls'}/${number}`;
}

export function IssueTable(props: IssueTableProps) {
  const { list, arePulls, place, search, isFiltered, onClear, empty, action } = props;
  const kind = arePulls ? 'pulls' : 'issues';
  const placeOf = ({ repository }: Issue): RepositoryPlace =>
    place ?? { owner: loginOf(repository?.owner), repo: repository?.name ?? '' };
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  const columns = place === undefined ? [...COLUMNS.slice(0, 1), REPOSITORY, ...COLUMNS.slice(1)] : COLUMNS;
  return (
    <>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <Table
        label={ISSUES[kind]}
        columns={columns}
        rows={list.rows}
        rowKey={({ id }) => String(id)}
        rowHref={(issue) => issueHref(placeOf(issue), issue)}
        onPrefetch={(issue) => prefetch(issueRead(placeOf(issue), issue.number))}
        sort={search.get('sort') ?? LATEST}
        onSort={(next) => search.set({ sort: next === LATEST ? undefined : next })}
        isLoading={list.isLoading}
        emptyState={
          isFiltered ? (
            <NoMatch words={ISSUES.noMatch} onClear={onClear} />
          ) : (
            <EmptyState
              icon={arePulls ? 'pull' : 'ring'}
              title={empty.title}
              text={empty.text}
              action={action}
            />
          )
        }
        footer={<ListFoot list={list} nouns={ISSUES.nouns[kind]} />}
      />
    </>
  );
}

const REPOSITORY: TableColumn<Issue> = {
  id: 'repository',
  head: ISSUES.columns.repository,
  cell: ({ repository }) => <span className="mono t12 cut">{repository?.full_name}</span>,
};

const COLUMNS: TableColumn<Issue>[] = [
  {
    id: 'title',
    head: ISSUES.columns.title,
    isMain: true,
    className: 'c-issue',
    cell: (issue) => (
      <span className="two">
        <b className="issue-title">{issue.title}</b>
        <small className="cut">{ISSUES.opened(issue.number, loginOf(issue.user))}</small>
      </span>
    ),
  },
  {
    id: 'labels',
    head: ISSUES.labels,
    cardLabel: null,
    className: 'c-labels',
    cell: ({ labels, milestone }) => (
      <span className="labs">
        {labels.map((label) => (
          <LabelTag key={label.id} label={label} />
        ))}
        {milestone !== null && <span className="tag">{milestone.title}</span>}
      </span>
    ),
  },
  {
    id: 'state',
    head: ISSUES.stateLabel,
    cardLabel: null,
    cell: (issue) => <StateOf issue={issue} />,
  },
  {
    id: 'assignees',
    head: ISSUES.columns.assignees,
    priority: 'mid',
    cell: ({ assignees }) => (
      <span className="row row--4">
        {assignees.map(({ login }) => (
          <Avatar key={login} name={login} size={20} />
        ))}
      </span>
    ),
  },
  {
    id: 'comments',
    head: ISSUES.columns.comments,
    align: 'end',
    priority: 'mid',
    sort: 'comments',
    cell: ({ comments }) => <Count value={comments} />,
  },
  {
    id: 'updated',
    head: ISSUES.columns.updated,
    cardLabel: null,
    sort: 'updated',
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];
