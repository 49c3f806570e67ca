// The upgrade report: which calls a version would change, what to do about each, and which are done. The address holds the version and the filters.
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { useCopy } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import {
  callerText,
  issueText,
  upgradeKey,
  useMark,
  useUpgradeCalls,
  useUpgradeReport,
  type UpgradeCalls,
} from './upgrade-queries.ts';
import { UPGRADE } from './upgrade-words.ts';
import { useVersionNames } from './versions-queries.ts';
import { VERSIONS } from './versions-words.ts';
import { WithCode } from './with-code.tsx';
import '../../styles/lists.css';
import '../../styles/versions.css';

const PAGE = '/versions/upgrade';
const STATES = ['open', 'done', 'all'] as const;
const SEES_ALL = [{ action: 'viewAccessToken', resource: 'member/*:token/*' }];

export default function UpgradePage() {
  usePageInfo([
    { label: VERSIONS.code },
    { label: VERSIONS.title, href: '/versions' },
    { label: UPGRADE.title },
  ]);
  const search = useSearchState(PAGE);
  const names = useVersionNames();
  const targets = names.data?.slice(1) ?? [];
  const target = search.get('to') ?? targets.at(-1);
  const isAll = search.get('all') === '1';
  const state = STATES.find((one) => one === search.get('state')) ?? 'open';
  const [seesAll = false] = useMay(SEES_ALL) ?? [];
  const list = useUpgradeCalls(target ?? '', isAll);
  const { data: report } = useUpgradeReport(target);
  const rows = list.rows.filter(({ done_at: at }) => state === 'all' || (at !== null) === (state === 'done'));
  const { isDone: isCopied, copy } = useCopy(issueText(target ?? '', rows));
  const error = names.error ?? list.error;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={UPGRADE.title}
        meta={UPGRADE.text}
        actions={
          rows.length > 0 ? (
            <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
              {isCopied ? UPGRADE.copied : UPGRADE.copy}
            </Button>
          ) : undefined
        }
      />
      <div className="row row--wrap list-bar upgrade__bar">
        <SelectInput
          controlSize="sm"
          aria-label={UPGRADE.target}
          value={target ?? ''}
          onValue={(to) => search.set({ to })}
          options={[...new Set([...(target === undefined ? [] : [target]), ...targets])]
            .toSorted()
            .map((value) => ({ value, label: value }))}
        />
        <Segmented
          size="sm"
          label={UPGRADE.state}
          value={state}
          options={STATES.map((value) => ({ value, label: UPGRADE.states[value] }))}
          onChange={(next) => search.set({ state: next === 'open' ? undefined : next })}
        />
        {(seesAll || isAll) && (
          <Segmented
            size="sm"
            label={UPGRADE.whose}
            value={isAll ? 'all' : 'own'}
            onChange={(value) => search.set({ all: value === 'all' ? '1' : undefined })}
            options={[
              { value: 'own', label: UPGRADE.own },
              { value: 'all', label: UPGRADE.everyone },
            ]}
          />
        )}
      </div>
      {report !== undefined && report.unrecorded_calls > 0 && (
        <Banner tone="warn">{UPGRADE.unrecorded(formatCount(report.unrecorded_calls))}</Banner>
      )}
      {error !== null ? (
        <ReadProblem
          error={error}
          onRetry={() => {
            void names.refetch();
            list.retry();
          }}
        />
      ) : (
        <Table
          label={UPGRADE.table}
          columns={COLUMNS}
          rows={rows}
          rowKey={upgradeKey}
          rowLabel={nameOf}
          isLoading={list.isLoading}
          emptyState={
            list.rows.length > 0 ? (
              <EmptyState icon="ok" {...(state === 'done' ? UPGRADE.nothingDone : UPGRADE.nothingLeft)} />
            ) : (
              <EmptyState
                icon="ok"
                tone="ok"
                title={UPGRADE.ready}
                text={UPGRADE.readyText}
                command={report?.header}
              />
            )
          }
          footer={
            <>
              {report !== undefined && <span>{UPGRADE.counted(report.retention_days)}</span>}
              <ListFoot list={list} nouns={UPGRADE.nouns} />
            </>
          }
        />
      )}
    </main>
  );
}

const nameOf = ({ method, path }: UpgradeCalls) => `${method} ${path}`;

const COLUMNS: TableColumn<UpgradeCalls>[] = [
  {
    id: 'call',
    head: UPGRADE.columns.call,
    isMain: true,
    cell: (row) => (
      <span className="two">
        <code className="upgrade__call">{nameOf(row)}</code>
        <small>{UPGRADE.under(row.version, callerText(row))}</small>
      </span>
    ),
  },
  {
    id: 'changes',
    head: UPGRADE.columns.changes,
    cell: ({ changes }) => (
      <ul className="stack stack--4 t12 upgrade__changes">
        {changes.map(({ title, advice, in: place }) => (
          <li key={`${title} ${place}`}>
            <b>
              <WithCode text={title} />
            </b>{' '}
            <span className="muted">
              <WithCode text={advice} />
            </span>
          </li>
        ))}
      </ul>
    ),
  },
  { id: 'calls', head: UPGRADE.columns.calls, align: 'end', cell: ({ calls }) => formatCount(calls) },
  { id: 'seen', head: UPGRADE.columns.seen, cell: ({ last_seen_at: at }) => <Time at={at} /> },
  { id: 'done', head: UPGRADE.columns.done, cell: (row) => <DoneMark row={row} /> },
];

function DoneMark({ row }: { row: UpgradeCalls }) {
  const mark = useMark();
  const name = `${nameOf(row)}, ${callerText(row)}`;
  const isDone = row.done_at !== null;
  return (
    <span className="row row--8 row--wrap">
      {row.done_at !== null && (
        <span>
          <Time at={row.done_at} /> {row.done_by !== null && UPGRADE.doneBy(row.done_by)}
        </span>
      )}
      <Button
        size="sm"
        tone={isDone ? 'ghost' : undefined}
        isBusy={mark.isPending}
        aria-label={isDone ? UPGRADE.undoOf(name) : UPGRADE.markOf(name)}
        onClick={() => mark.mutate({ row, isDone: !isDone })}
      >
        {isDone ? UPGRADE.undo : UPGRADE.mark}
      </Button>
      <ChangeError error={mark.error} />
    </span>
  );
}
