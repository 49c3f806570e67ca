// One run: how it goes, what can be done with it, its log, its output, its storages, its input, its timeline, its flags, its calls, and how it differs from the last good one.
import { useParams } from 'wouter';
import type { ApiError } from '../../api/error.ts';
import { usePageInfo, type Crumb } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useHrefOfRunPlace } from '../actor/source-places.ts';
import { LogView } from '../log/log-view.tsx';
import { useActorName, useRun } from '../queries.ts';
import { hrefOfRun, isOver, type RunDetail } from '../run.ts';
import { WORDS } from '../words.ts';
import { RunCalls } from './run-calls.tsx';
import { RunCompare } from './run-compare.tsx';
import { RunFigures } from './run-figures.tsx';
import { RunFlags } from './run-flags.tsx';
import { RunHead } from './run-head.tsx';
import { RunInput } from './run-input.tsx';
import { RunOutput } from './run-output.tsx';
import { LIVE_MS, useDataset } from './run-queries.ts';
import { RunStorages } from './run-storages.tsx';
import { RunTimeline } from './run-timeline.tsx';
import { RUN_WORDS } from './run-words.ts';

const TABS = ['log', 'output', 'storages', 'input', 'timeline', 'flags', 'calls', 'compare'] as const;
type RunTab = (typeof TABS)[number];

export default function RunPage() {
  const { id, '*': rest } = useParams<{ id: string; '*'?: string }>();
  const read = useRun(id);
  const isLive = read.run !== undefined && !isOver(read.run);
  // Numbers of a run that goes on change without an event.
  useRun(id, isLive ? LIVE_MS : undefined);
  if (read.run === undefined) return <NoRun id={id} error={read.error} onRetry={() => void read.refetch()} />;
  const tab = TABS.find((one) => one === rest) ?? 'log';
  return <RunView key={id} run={read.run} tab={tab} />;
}

interface NoRunProps {
  id: string;
  /** Null while it is read. */
  error: ApiError | null;
  onRetry: () => void;
}

function NoRun({ id, error, onRetry }: NoRunProps) {
  usePageInfo(crumbsOf(id, id));
  return (
    <main id="main" className="page" tabIndex={-1}>
      {error === null ? <Skeleton lines={8} /> : <ReadProblem error={error} onRetry={onRetry} />}
    </main>
  );
}

function crumbsOf(id: string, name: string): Crumb[] {
  return [
    { label: WORDS.runs, href: '/runs' },
    { label: name, href: hrefOfRun(id), copy: id },
  ];
}

function RunView({ run, tab }: { run: RunDetail; tab: RunTab }) {
  const { id, actId, defaultDatasetId } = run;
  const actor = useActorName(actId);
  const name = actor?.title || actor?.name || actId;
  const { data } = useDataset(defaultDatasetId, isOver(run) ? undefined : LIVE_MS);
  usePageInfo(crumbsOf(id, name));
  const counts: Partial<Record<RunTab, number>> = {
    ...(data !== undefined && { output: data.data.itemCount }),
  };
  return (
    <main id="main" className="page" tabIndex={-1}>
      <RunHead run={run} name={name} actor={actor} />
      <RunFigures run={run} />
      <Tabs
        label={RUN_WORDS.tabs}
        items={TABS.map((one) => ({
          href: `${hrefOfRun(id)}${one === 'log' ? '' : `/${one}`}`,
          label: RUN_WORDS[one],
          count: counts[one],
          isCurrent: one === tab,
        }))}
      />
      <RunTabView run={run} tab={tab} />
    </main>
  );
}

function RunTabView({ run, tab }: { run: RunDetail; tab: RunTab }) {
  if (tab === 'output') return <RunOutput run={run} />;
  if (tab === 'storages') return <RunStorages run={run} />;
  if (tab === 'input') return <RunInput run={run} />;
  if (tab === 'compare') return <RunCompare run={run} />;
  if (tab === 'flags') return <RunFlags run={run} />;
  if (tab === 'calls') return <RunCalls run={run} />;
  if (tab === 'timeline') return <RunTimeline run={run} />;
  return <RunLog run={run} />;
}

function RunLog({ run }: { run: RunDetail }) {
  const hrefOfPlace = useHrefOfRunPlace(run);
  return (
    <LogView
      kind="run"
      id={run.id}
      isOver={isOver(run)}
      emptyText={RUN_WORDS.noLog}
      hrefOfPlace={hrefOfPlace}
    />
  );
}
