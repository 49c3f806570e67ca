// A list of projects or environments: a filter, the rows with name and key, and what stands there without any.
import '../../styles/lists.css';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import { ListFoot, NoMatch, type ShownList } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import type { IconName } from '../../ui/icon.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tag } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { PAGE_WORDS } from './environments-words.ts';

interface Place {
  key: string;
  name: string;
  tags: string[];
}

/** The main column; `mark` stands before the name. */
export function nameColumn<Row extends Place>(mark?: (row: Row) => ReactNode): TableColumn<Row> {
  return {
    id: 'name',
    head: PAGE_WORDS.name,
    isMain: true,
    sort: 'name',
    cell: (row) => (
      <span className="row">
        {mark?.(row)}
        <span className="two">
          <b className="cut">{row.name}</b>
          <small className="mono cut">{row.key}</small>
        </span>
      </span>
    ),
    aside: ({ key }) => <CopyButton text={key} label={PAGE_WORDS.copyKey(key)} />,
  };
}

export function tagsColumn<Row extends Place>(): TableColumn<Row> {
  return {
    id: 'tags',
    head: PAGE_WORDS.tags,
    priority: 'mid',
    cell: ({ tags }) => <Tags tags={tags} />,
  };
}

export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="row row--4 row--wrap">
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}

interface PlaceListProps<Row> {
  /** As `useListPages` gives it. */
  list: Omit<ShownList, 'rows'> & {
    rows: Row[];
    newCount: number;
    showNew: () => void;
    error: ApiError | null;
    isLoading: boolean;
    retry: () => void;
  };
  columns: TableColumn<Row>[];
  search: SearchState;
  sort: string | undefined;
  /** It does not stand in the address. */
  usualSort?: string;
  hrefOf: (row: Row) => string;
  words: {
    label: string;
    filter: string;
    empty: { icon: IconName; title: string; text: string };
    nouns: readonly [many: string, one: string];
  };
  /** Beside the list, for one that is open. */
  panel?: ReactNode;
}

export function PlaceList<Row extends Place>(props: PlaceListProps<Row>) {
  const { list, columns, search, sort, usualSort, hrefOf, words, panel } = props;
  const [typed, setTyped] = useTypedFilter(search);
  return (
    <>
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={words.filter} />
        </div>
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <div className={classNames(panel !== undefined && 'cols cols--panel')}>
        {list.error !== null ? (
          <ReadProblem error={list.error} onRetry={list.retry} />
        ) : (
          <Table
            label={words.label}
            columns={columns}
            rows={list.rows}
            rowKey={({ key }) => key}
            rowHref={hrefOf}
            sort={sort}
            onSort={(next) => search.set({ sort: next === usualSort ? undefined : next })}
            isLoading={list.isLoading}
            rowCount={list.total}
            emptyState={
              search.get('q') === undefined ? (
                <EmptyState {...words.empty} />
              ) : (
                <NoMatch words={PAGE_WORDS.noMatch} onClear={() => setTyped('')} />
              )
            }
            footer={<ListFoot list={list} nouns={words.nouns} />}
          />
        )}
        {panel}
      </div>
    </>
  );
}
