// A list of runs with their statuses and durations, to select and to act on. Also that of one Actor.
import '../../styles/runs.css';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { RunStatusView } from '../../lib/run-status.tsx';
import { Button } from '../../ui/button.tsx';
import { cssVars } from '../../ui/css-vars.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { SelectionBar, Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { runRead } from '../queries.ts';
import { ActorName, useRunDuration } from '../run-cells.tsx';
import { durationOf, hrefOfRun, type Run } from '../run.ts';
import { originWord, WORDS } from '../words.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkAction } from './bulk.ts';
import type { useRuns } from './runs-queries.ts';
import { RUNS_WORDS } from './runs-words.ts';

const ACTIONS: readonly BulkAction[] = ['abort', 'resurrect', 'rerun', 'delete'];

const ICONS = { abort: 'stop', resurrect: 'play', rerun: 'redo', delete: 'trash' } as const;

/** As many as one call reads by their ids. */
const MAX_IDS = 200;

function hrefOfRuns(ids: readonly string[]): string {
  return `/runs?runs=${ids.slice(0, MAX_IDS).join(',')}`;
}

export interface RunsTableProps {
  list: ReturnType<typeof useRuns>;
  emptyState: ReactNode;
  /** Of one Actor: its name stands above the list already. */
  isOfActor?: boolean;
}

export function RunsTable({ list, emptyState, isOfActor = false }: RunsTableProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [action, setAction] = useState<BulkAction>();
  const [openedAt] = useState(() => Date.now());
  const [, navigate] = useLocation();
  const longest = Math.max(1, ...list.rows.map((run) => durationOf(run, openedAt)));
  const chosen = list.rows.filter(({ id }) => selected.has(id));
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <Table
        label={WORDS.table}
        columns={columnsOf(longest, isOfActor)}
        rows={list.rows}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefOfRun(id)}
        onPrefetch={({ id }) => prefetch(runRead(id))}
        selection={{ selected, onChange: setSelected }}
        isLoading={list.isLoading}
        rowCount={list.total}
        emptyState={emptyState}
        footer={<ListFoot list={list} nouns={WORDS.nouns} />}
      />
      <SelectionBar count={chosen.length} onClear={() => setSelected(new Set())}>
        {ACTIONS.map((one) => (
          <Button key={one} tone="ghost" size="sm" icon={ICONS[one]} onClick={() => setAction(one)}>
            {RUNS_WORDS.bulk[one].button}
          </Button>
        ))}
      </SelectionBar>
      {action !== undefined && (
        <BulkDialog
          action={action}
          runs={chosen}
          onClose={(isChanged) => {
            setAction(undefined);
            if (isChanged) setSelected(new Set());
          }}
          onShow={(ids) => {
            setAction(undefined);
            setSelected(new Set());
            navigate(hrefOfRuns(ids));
          }}
        />
      )}
    </>
  );
}

function columnsOf(longest: number, isOfActor: boolean): TableColumn<Run>[] {
  const started: TableColumn<Run> = {
    id: 'started',
    head: WORDS.started,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  };
  const status: TableColumn<Run> = {
    id: 'status',
    head: WORDS.status,
    isMain: isOfActor,
    cell: ({ status: present }) => <RunStatusView status={present} />,
  };
  return [
    ...(isOfActor
      ? []
      : [
          {
            id: 'actor',
            head: WORDS.actor,
            isMain: true,
            cell: ({ actId }: Run) => <ActorName id={actId} />,
          },
        ]),
    status,
    started,
    {
      id: 'duration',
      head: WORDS.duration,
      cell: (run) => <DurationBar run={run} longest={longest} />,
    },
    {
      id: 'origin',
      head: WORDS.origin,
      priority: 'mid',
      cell: ({ meta }) => <span className="muted">{originWord(meta.origin)}</span>,
    },
    {
      id: 'build',
      head: WORDS.build,
      priority: 'low',
      cell: ({ buildNumber = '' }) => <span className="mono t12">{buildNumber}</span>,
    },
  ];
}

/** Beside the others of the list, the longest fills the column. */
function DurationBar({ run, longest }: { run: Run; longest: number }) {
  const duration = useRunDuration(run);
  return (
    <span className="run-bar">
      <span className="nw">{formatDuration(duration)}</span>
      <i aria-hidden="true" style={cssVars({ w: Math.min(100, (duration / longest) * 100) })} />
    </span>
  );
}
