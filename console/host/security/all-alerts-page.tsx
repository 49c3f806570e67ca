// The code-scanning alerts of all repositories that the person who is logged in may write to. The filters stand in the address.
import { usePageInfo } from '../../app/page-info.ts';
import { usePages } from '../../api/read.ts';
import type { ScannedAlert } from '../../api/types/signalbox.ts';
import { ListFoot, shownOf } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { TOPICS } from '../queries.ts';
import { alertHref, SEVERITIES } from './alert.ts';
import { AlertStateMark, SeverityBadge, StateAndSeverity, stateIn } from './alert-parts.tsx';
import { SECURITY } from './security-words.ts';
import '../../styles/lists.css';

const PAGE = '/alerts';
const { all: words } = SECURITY;

export default function AllAlertsPage() {
  usePageInfo([{ label: words.code, href: '/code' }, { label: words.title }]);
  const search = useSearchState(PAGE);
  const state = stateIn(search);
  const severity = SEVERITIES.find((one) => one === search.get('severity'));
  const tool = search.get('tool');
  const [typed, setTyped] = useTypedFilter(search, 'tool');
  const list = usePages<ScannedAlert>(
    {
      call: {
        api: 'signalbox',
        path: '/code-scanning/alerts',
        query: { state: state === 'all' ? undefined : state, severity, tool },
      },
      topics: TOPICS,
    },
    { keepsPrevious: true },
  );
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = ['state', 'severity', 'tool'].some((name) => search.get(name) !== undefined);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={words.title} meta={words.text} />
      <div className="row row--wrap list-bar alert-filters">
        <StateAndSeverity search={search} />
        <TextInput
          controlSize="sm"
          aria-label={SECURITY.tool}
          placeholder={words.tool}
          autoComplete="off"
          value={typed}
          onValue={setTyped}
        />
      </div>
      {list.error !== null && list.data === undefined ? (
        <ReadProblem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label={words.title}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ repository: { owner, name }, number }) => `${owner}/${name} ${number}`}
          rowLabel={({ rule }) => rule.description || rule.id}
          rowHref={({ repository: { owner, name }, number }) => alertHref({ owner, repo: name }, number)}
          isLoading={list.isPending}
          emptyState={
            <EmptyState
              icon="shield"
              tone={isFiltered ? undefined : 'ok'}
              title={isFiltered ? SECURITY.empty.title : words.none.title}
              text={isFiltered ? undefined : words.none.text}
              action={
                isFiltered ? (
                  <Button
                    onClick={() => search.set({ state: undefined, severity: undefined, tool: undefined })}
                  >
                    {SECURITY.empty.clear}
                  </Button>
                ) : undefined
              }
            />
          }
          footer={<ListFoot list={shownOf(list, rows)} nouns={SECURITY.nouns} />}
        />
      )}
    </main>
  );
}

const COLUMNS: TableColumn<ScannedAlert>[] = [
  {
    id: 'alert',
    head: SECURITY.columns.alert,
    isMain: true,
    cell: ({ rule, path, line }) => (
      <span className="two">
        <b className="cut">{rule.description || rule.id}</b>
        <small className="cut mono">{path === undefined ? rule.id : `${path}:${line}`}</small>
      </span>
    ),
  },
  {
    id: 'repository',
    head: words.repository,
    cell: ({ repository: { owner, name } }) => <span className="cut">{`${owner}/${name}`}</span>,
  },
  {
    id: 'severity',
    head: SECURITY.columns.severity,
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    id: 'state',
    head: SECURITY.columns.state,
    priority: 'mid',
    cell: ({ state }) => <AlertStateMark state={state} />,
  },
  {
    id: 'tool',
    head: SECURITY.columns.tool,
    priority: 'low',
    cell: ({ tool }) => <span className="cut">{tool}</span>,
  },
  { id: 'found', head: SECURITY.columns.found, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
