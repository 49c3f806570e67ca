// The input of a run, as it got it. Secrets are only named.
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { isInputObject, takeOutSecrets } from '../input/secrets.ts';
import type { RunDetail } from '../run.ts';
import { useRunInput } from './run-queries.ts';
import { RUN_WORDS } from './run-words.ts';

const MAX_CHARACTERS = 200_000;
const MEBI = 1024 * 1024;
const SECOND = 1000;

export function RunInput({ run }: { run: RunDetail }) {
  return (
    <div className="cols">
      <InputText run={run} />
      <Card title={RUN_WORDS.details}>
        <RunDetails run={run} />
      </Card>
    </div>
  );
}

function InputText({ run }: { run: RunDetail }) {
  const { data, error, isPending, refetch } = useRunInput(run);
  if (error?.status === 404) return <EmptyState icon="file" title={RUN_WORDS.noInput} />;
  if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton lines={8} />;
  const { value, secrets } = isInputObject(data) ? takeOutSecrets(data) : { value: data, secrets: {} };
  const names = Object.keys(secrets);
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return (
    <div className="stack">
      {names.length > 0 && (
        <Banner tone="neutral" icon="lock">
          {RUN_WORDS.secretsNote(names.join(', '))}
        </Banner>
      )}
      <CodeBlock text={text.slice(0, MAX_CHARACTERS)} copyLabel={RUN_WORDS.copyInput} />
      {text.length > MAX_CHARACTERS && (
        <p className="t12 muted">
          {RUN_WORDS.tooLong(formatCount(MAX_CHARACTERS), formatCount(text.length))}
        </p>
      )}
    </div>
  );
}

function RunDetails({ run }: { run: RunDetail }) {
  const { id, startedAt, finishedAt, options, buildNumber = '', meta, stats } = run;
  const { build, timeoutSecs, memoryMbytes, diskMbytes, maxItems, restartOnError } = options;
  return (
    <KeyValues
      items={[
        [
          RUN_WORDS.runId,
          <span key="id" className="row row--4">
            <code className="key cut">{id}</code>
            <CopyButton text={id} label={RUN_WORDS.copyId('run')} />
          </span>,
        ],
        [RUN_WORDS.started, <Time key="started" at={startedAt} mode="absolute" />],
        [RUN_WORDS.finished, finishedAt ? <Time key="finished" at={finishedAt} mode="absolute" /> : '–'],
        [RUN_WORDS.buildNumber, buildNumber],
        [RUN_WORDS.requestedBuild, build],
        [RUN_WORDS.memory, formatBytes(memoryMbytes * MEBI)],
        [RUN_WORDS.disk, diskMbytes === undefined ? '–' : formatBytes(diskMbytes * MEBI)],
        [
          RUN_WORDS.timeLimit,
          timeoutSecs === 0 ? RUN_WORDS.neverStops : formatDuration(timeoutSecs * SECOND),
        ],
        [RUN_WORDS.maxItems, maxItems === null || maxItems === undefined ? '–' : formatCount(maxItems)],
        [RUN_WORDS.restartOnError, restartOnError === true ? RUN_WORDS.yes : RUN_WORDS.no],
        [RUN_WORDS.computeUnits, stats.computeUnits === undefined ? '–' : stats.computeUnits.toFixed(4)],
        [RUN_WORDS.client, meta.userAgent ?? '–'],
      ]}
    />
  );
}
