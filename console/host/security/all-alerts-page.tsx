// The code-scanning alerts of all repositories that the person who is logged in may write to. The filters stand in the address.
import { usePageInfo } from '../../app/page-info.ts';
import { usePages } from '../../api/read.ts';
import { ListFoot, shownOf } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { TOPICS } from '../queries.ts';
import {
  ALERT_STATES,
  alertHref,
  SEVERITIES,
  SEVERITY_TONES,
  type AlertState,
  type Severity,
} from './alert.ts';
import { AlertStateMark } from './alert-parts.tsx';
import { SECURITY } from './security-words.ts';
import '../../styles/lists.css';

const PAGE = '/alerts';
const STATES = [...ALERT_STATES, 'all'] as const;

interface ScannedAlert {
  repository: { owner: string; name: string };
  number: number;
  state: AlertState;
  rule: { id: string; description: string };
  severity: Severity | 'none';
  tool: string;
  path?: string;
  line?: number;
  createdAt: number;
}

const { all: words } = SECURITY;

export default function AllAlertsPage() {
  usePageInfo([{ label: words.code, href: '/code' }, { label: words.title }]);
  const search = useSearchState(PAGE);
  const state = STATES.find((one) => one === search.get('state')) ?? 'open';
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
        <Segmented
          label={SECURITY.state}
          size="sm"
          value={state}
          options={STATES.map((value) => ({ value, label: SECURITY.states[value] }))}
          onChange={(next) => search.set({ state: next === 'open' ? undefined : next })}
        />
        <SelectInput
          controlSize="sm"
          aria-label={SECURITY.severity}
          value={severity ?? ''}
          onValue={(value) => search.set({ severity: value })}
          options={[
            { value: '', label: SECURITY.anySeverity },
            ...SEVERITIES.map((value) => ({ value, label: SECURITY.severities[value] })),
          ]}
        />
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
    cell: ({ severity }) => <Badge tone={SEVERITY_TONES[severity]}>{SECURITY.severities[severity]}</Badge>,
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
