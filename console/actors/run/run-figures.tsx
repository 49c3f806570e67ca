// The figures of a run: how long, how it ended, what it has stored, and what it uses.
import '../../styles/run.css';
import { useState } from 'react';
import { Meter, Sparkline } from '../../ui/chart.tsx';
import { Figures, type FigureProps } from '../../ui/card.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { RunDuration } from '../run-cells.tsx';
import { isOver, type RunDetail } from '../run.ts';
import { LIVE_MS, useDataset, useQueue } from './run-queries.ts';
import { RUN_WORDS } from './run-words.ts';

const MEBI = 1024 * 1024;
const NONE = '–';

export function RunFigures({ run }: { run: RunDetail }) {
  const everyMs = isOver(run) ? undefined : LIVE_MS;
  const { data: dataset } = useDataset(run.defaultDatasetId, everyMs);
  const { data: queue } = useQueue(run.defaultRequestQueueId, everyMs);
  const { exitCode, stats } = run;
  const items: FigureProps[] = [
    { label: RUN_WORDS.duration, value: <RunDuration run={run} />, note: restartsOf(run) },
    { label: RUN_WORDS.exitCode, value: exitCode ?? NONE },
    { label: RUN_WORDS.items, value: dataset === undefined ? NONE : formatCount(dataset.data.itemCount) },
    requestFigure(queue?.data),
    memoryFigure(run),
    {
      label: RUN_WORDS.cpu,
      value: percent(isOver(run) ? stats.cpuMaxUsage : stats.cpuCurrentUsage),
      unit: '%',
      note: RUN_WORDS.cpuAverage(percent(stats.cpuAvgUsage)),
    },
  ];
  const values = useLastValues(run);
  return (
    <div className="run-figures">
      <Figures
        label={RUN_WORDS.figures}
        items={items.map((item) =>
          item.label === RUN_WORDS.memory && values.length > 2
            ? { ...item, chart: <Sparkline values={values} isWide tone={isOver(run) ? 'muted' : 'accent'} /> }
            : item,
        )}
      />
    </div>
  );
}

function restartsOf({ stats }: RunDetail): string | undefined {
  const { restartCount, resurrectCount } = stats;
  const parts = [
    restartCount > 0 && `${RUN_WORDS.restarts}: ${formatCount(restartCount)}`,
    resurrectCount > 0 && RUN_WORDS.resurrections(timesOf(resurrectCount)),
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function timesOf(count: number): string {
  return count === 1 ? RUN_WORDS.once : RUN_WORDS.times(formatCount(count));
}

function requestFigure(
  queue: { totalRequestCount: number; handledRequestCount: number } | undefined,
): FigureProps {
  const label = RUN_WORDS.requests;
  if (queue === undefined || queue.totalRequestCount === 0)
    return { label, value: queue === undefined ? NONE : 0 };
  const { totalRequestCount: all, handledRequestCount: handled } = queue;
  const text = RUN_WORDS.requestsOf(formatCount(all));
  return {
    label,
    value: formatCount(handled),
    unit: text,
    chart: (
      <Meter label={label} value={handled} max={all} text={`${formatCount(handled)} ${text}`} tone="run" />
    ),
  };
}

function memoryFigure(run: RunDetail): FigureProps {
  const { stats, options } = run;
  const most = stats.memMaxBytes ?? 0;
  const now = isOver(run) ? most : (stats.memCurrentBytes ?? 0);
  return {
    label: RUN_WORDS.memory,
    value: now === 0 ? NONE : formatBytes(now),
    unit: RUN_WORDS.memoryLimit(formatBytes(options.memoryMbytes * MEBI)),
    note: most === 0 ? undefined : RUN_WORDS.mostMemory(formatBytes(most)),
  };
}

/** Of one processor. */
function percent(usage: number | undefined): string {
  return usage === undefined ? NONE : formatCount(Math.round(usage));
}

const MAX_VALUES = 120;

/** The memory since the page was opened: the server keeps no history of it. */
function useLastValues({ stats }: RunDetail): number[] {
  const [values, setValues] = useState<{ stats: unknown; list: number[] }>({ stats: undefined, list: [] });
  if (values.stats !== stats) {
    const list = [...values.list, stats.memCurrentBytes ?? 0].slice(-MAX_VALUES);
    setValues({ stats, list });
  }
  return values.list;
}
