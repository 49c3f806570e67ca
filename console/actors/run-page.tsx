// One run, to read: how it went, with what, where its data are, and the end of its log.
import { useParams } from 'wouter';
import type { ApiError } from '../api/error.ts';
import { usePageInfo, type Crumb } from '../app/page-info.ts';
import { NextNote } from '../lib/next-note.tsx';
import { ReadProblem } from '../lib/read-problem.tsx';
import { Card, Figures, KeyValues } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { formatBytes, formatDuration } from '../ui/format.ts';
import { PageHead } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useActor, useRun } from './queries.ts';
import { RunDuration, RunStatusView } from './run-cells.tsx';
import { RunLog } from './run-log.tsx';
import type { RunDetail } from './run.ts';
import { originWord, WORDS } from './words.ts';

const MEBI = 1024 * 1024;

export default function RunPage() {
  const { id } = useParams<{ id: string }>();
  const { run, error, refetch } = useRun(id);
  if (run !== undefined) return <RunView run={run} />;
  return <NoRun id={id} error={error} onRetry={() => void refetch()} />;
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
    { label: name, href: `/runs/${encodeURIComponent(id)}`, copy: id },
  ];
}

function RunView({ run }: { run: RunDetail }) {
  const { id, actId, status, startedAt, meta, buildNumber = '', statusMessage } = run;
  const actor = useActor(actId);
  const name = actor?.title ?? actor?.name ?? actId;
  usePageInfo(crumbsOf(id, name));
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={name}
        badge={<RunStatusView status={status} isPill />}
        meta={
          <>
            {statusMessage && <span>{statusMessage}</span>}
            <span>
              {WORDS.started} <Time at={startedAt} />
            </span>
            <span>
              {WORDS.origin}: {originWord(meta.origin)}
            </span>
            <span>
              {WORDS.build} <span className="mono t12">{buildNumber}</span>
            </span>
          </>
        }
      />
      <div className="stack stack--24">
        <RunFigures run={run} />
        <div className="cols">
          <RunLog id={id} />
          <aside className="stack stack--24" aria-label={WORDS.details}>
            <Card title={WORDS.details}>
              <Details run={run} />
            </Card>
            <Card title={WORDS.storages}>
              <Storages run={run} />
            </Card>
          </aside>
        </div>
      </div>
      <NextNote>{WORDS.runNext}</NextNote>
    </main>
  );
}

function RunFigures({ run }: { run: RunDetail }) {
  const { exitCode, stats, options } = run;
  return (
    <Figures
      label={WORDS.details}
      items={[
        { label: WORDS.duration, value: <RunDuration run={run} /> },
        { label: WORDS.exitCode, value: exitCode ?? '–' },
        {
          label: WORDS.mostMemory,
          value: stats.memMaxBytes === undefined ? '–' : formatBytes(stats.memMaxBytes),
          note: `${WORDS.memory}: ${formatBytes(options.memoryMbytes * MEBI)}`,
        },
        { label: WORDS.restarts, value: stats.restartCount },
        { label: WORDS.resurrections, value: stats.resurrectCount },
      ]}
    />
  );
}

function Details({ run }: { run: RunDetail }) {
  const { id, startedAt, finishedAt, options, buildNumber = '' } = run;
  const { build, timeoutSecs, memoryMbytes, diskMbytes } = options;
  return (
    <KeyValues
      items={[
        [WORDS.id, <Id key="id" id={id} what={WORDS.run} />],
        [WORDS.started, <Time key="started" at={startedAt} mode="absolute" />],
        [WORDS.finished, finishedAt ? <Time key="finished" at={finishedAt} mode="absolute" /> : '–'],
        [WORDS.build, buildNumber],
        [WORDS.requestedBuild, build],
        [WORDS.memory, formatBytes(memoryMbytes * MEBI)],
        [WORDS.disk, diskMbytes === undefined ? '–' : formatBytes(diskMbytes * MEBI)],
        [WORDS.timeout, timeoutSecs === 0 ? WORDS.noTimeout : formatDuration(timeoutSecs * 1000)],
      ]}
    />
  );
}

function Storages({ run }: { run: RunDetail }) {
  return (
    <KeyValues
      items={[
        [WORDS.dataset, <Id key="dataset" id={run.defaultDatasetId} what={WORDS.dataset} />],
        [WORDS.store, <Id key="store" id={run.defaultKeyValueStoreId} what={WORDS.store} />],
        [WORDS.queue, <Id key="queue" id={run.defaultRequestQueueId} what={WORDS.queue} />],
      ]}
    />
  );
}

function Id({ id, what }: { id: string; what: string }) {
  return (
    <span className="row row--4">
      <code className="key cut">{id}</code>
      <CopyButton text={id} label={WORDS.copyId(what.toLowerCase())} />
    </span>
  );
}
