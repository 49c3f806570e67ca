// The audit log of all APIs. The address holds the filter, the open entry and how far the list was read.
import type { Activity } from '../../api/types/signalbox.ts';
import '../../styles/audit.css';
import { usePageInfo } from '../../app/page-info.ts';
import { actorOf, ACTIVITY_WORDS, nameOfChanged } from '../../lib/activity.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, type SearchState } from '../../lib/search-state.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AuditEntry } from './audit-entry.tsx';
import { useAuditExport } from './audit-export-button.tsx';
import { AuditFilters } from './audit-filters.tsx';
import {
  FILTER_NAMES,
  MAX_ROWS,
  PAGE,
  timeOf,
  useAuditQuery,
  useAuditRows,
  useSteadyRows,
} from './audit-queries.ts';
import { AUDIT } from './audit-words.ts';

export default function AuditPage() {
  usePageInfo([{ label: AUDIT.account }, { label: AUDIT.title }]);
  const state = useSearchState(PAGE);
  const query = useAuditQuery(state);
  const { button, note } = useAuditExport(query);
  const entry = state.get('entry');
  const found = useAuditRows(query, timeOf(state.get('rows')) ?? 0);
  const { list, all } = found;
  const { rows, newCount, isMoreNew, forgetTop } = useSteadyRows(all, query, list.isSuccess);
  const showNew = () => {
    void list.refetch().then(forgetTop);
    scrollTo(0, 0);
  };
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={AUDIT.title} meta={AUDIT.text} actions={button} />
      {note}
      <AuditFilters state={state} rows={all} />
      {newCount > 0 && <NewRows count={`${formatCount(newCount)}${isMoreNew ? '+' : ''}`} onShow={showNew} />}
      <div className={entry === undefined ? 'audit__list' : 'cols cols--panel'}>
        {list.error !== null && all.length === 0 ? (
          <ReadProblem error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={AUDIT.table}
            columns={entry === undefined ? COLUMNS : FEW_COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => state.href({ entry: id })}
            isLoading={list.isPending || (found.isSearching && rows.length === 0)}
            emptyState={<NothingFound state={state} found={found} />}
            footer={<Footer state={state} found={found} count={rows.length} />}
          />
        )}
        {entry !== undefined && (
          <AuditEntry key={entry} id={entry} onClose={() => state.set({ entry: undefined })} />
        )}
      </div>
    </main>
  );
}

const COLUMNS: TableColumn<Activity>[] = [
  { id: 'at', head: AUDIT.columns.at, cell: ({ at }) => <Time at={at} /> },
  { id: 'who', head: AUDIT.columns.who, cell: (entry) => <Who entry={entry} /> },
  { id: 'what', head: AUDIT.columns.what, isMain: true, cell: (entry) => <What entry={entry} /> },
  {
    id: 'resource',
    head: AUDIT.columns.resource,
    priority: 'low',
    cell: ({ resource }) => <code className="key audit__resource">{resource}</code>,
  },
  {
    id: 'comment',
    head: AUDIT.columns.comment,
    priority: 'mid',
    cell: ({ comment = '' }) => <span className="muted audit__short">{comment}</span>,
  },
];

/** Beside an open entry there is room for these. */
const FEW_COLUMNS = COLUMNS.filter(({ id }) => ['at', 'who', 'what'].includes(id));

function Who({ entry }: { entry: Activity }) {
  const { member, token } = entry;
  const { name, kind } = actorOf(entry);
  const by =
    token === undefined
      ? member === undefined
        ? AUDIT.server
        : AUDIT.session
      : token.isService
        ? AUDIT.service
        : AUDIT.byToken(token.name === '' ? `…${token.ending}` : token.name);
  return (
    <span className="row">
      <Avatar name={name} kind={kind} isDecorative />
      <span className="two audit__who">
        <b className="cut">{name}</b>
        <small className="cut">{by}</small>
      </span>
    </span>
  );
}

/** The link of the row opens the entry, so the thing itself is linked there. */
function What({ entry }: { entry: Activity }) {
  return (
    <span className="audit__what">
      <span className="faint t12">{ACTIVITY_WORDS.products[entry.product]}</span> {entry.verb}{' '}
      <span className="w5">{nameOfChanged(entry)}</span>
    </span>
  );
}

type Found = ReturnType<typeof useAuditRows>;

function NothingFound({ state, found }: { state: SearchState; found: Found }) {
  const isFiltered = FILTER_NAMES.some((name) => state.get(name) !== undefined);
  if (!isFiltered) return <EmptyState icon="history" title={AUDIT.empty} text={AUDIT.emptyText} />;
  const isOpen = found.list.hasNextPage;
  return (
    <EmptyState
      icon="search"
      title={isOpen ? AUDIT.notYet : AUDIT.nothing}
      text={isOpen ? AUDIT.notYetText : AUDIT.nothingText}
      action={
        isOpen ? (
          <Button onClick={found.searchOn}>{AUDIT.further}</Button>
        ) : (
          <Button
            onClick={() => state.set(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}
          >
            {AUDIT.clear}
          </Button>
        )
      }
    />
  );
}

function Footer({ state, found, count }: { state: SearchState; found: Found; count: number }) {
  const { list, isSearching } = found;
  const isBusy = list.isFetchingNextPage || isSearching;
  const isStuck = list.error !== null;
  return (
    <>
      <span>{AUDIT.loaded(formatCount(count))}</span>
      {isStuck && <span className="bad">{list.error.message}</span>}
      {!list.hasNextPage ? (
        <span>{AUDIT.all}</span>
      ) : count >= MAX_ROWS ? (
        <span>{AUDIT.tooMany(formatCount(MAX_ROWS))}</span>
      ) : (
        <Button
          size="sm"
          className="push"
          isBusy={isBusy}
          onClick={() => {
            if (isStuck) void list.fetchNextPage();
            found.searchOn();
            state.set({ rows: String(found.next) });
          }}
        >
          {isBusy ? AUDIT.searching : AUDIT.more}
        </Button>
      )}
    </>
  );
}
