// The head of a run: its status in words with the reason, who started it with what, and what can be done with it.
import { hasPage } from '../../app/pages.tsx';
import { RunStatusView } from '../../lib/run-status.tsx';
import { formatBytes, formatDuration } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfActor, type useActorName } from '../queries.ts';
import type { RunDetail } from '../run.ts';
import { originWord } from '../words.ts';
import { RunActions } from './run-actions.tsx';
import { RUN_WORDS } from './run-words.ts';

const MEBI = 1024 * 1024;
const SECOND = 1000;

export interface RunHeadProps {
  run: RunDetail;
  name: string;
  actor: ReturnType<typeof useActorName>;
}

export function RunHead({ run, name, actor }: RunHeadProps) {
  const { status, startedAt, meta, actorTaskId, buildNumber = '', options } = run;
  const reason = reasonOf(run);
  const actorPage = actor === undefined ? undefined : hrefOfActor(actor);
  const span = formatDuration(options.timeoutSecs * SECOND);
  return (
    <PageHead
      title={name}
      badge={<RunStatusView status={status} isPill />}
      actions={<RunActions run={run} />}
      meta={
        <>
          {reason !== undefined && <span className="run-reason">{reason}</span>}
          {actor !== undefined && actorPage !== undefined && hasPage(actorPage) && (
            <TextLink href={actorPage} isMono>{`${actor.username}/${actor.name}`}</TextLink>
          )}
          <span>
            {RUN_WORDS.started} <Time at={startedAt} /> {RUN_WORDS.by} {originWord(meta.origin)}
            {actorTaskId !== null && actorTaskId !== undefined && (
              <>
                , {RUN_WORDS.task}{' '}
                <TextLink href={`/tasks/${encodeURIComponent(actorTaskId)}`}>{actorTaskId}</TextLink>
              </>
            )}
          </span>
          <span>
            {RUN_WORDS.build} <span className="mono t12">{buildNumber}</span>
          </span>
          <span>
            {RUN_WORDS.memoryOf(formatBytes(options.memoryMbytes * MEBI))},{' '}
            {options.timeoutSecs === 0 ? RUN_WORDS.neverStops : RUN_WORDS.stopsAfter(span)}
          </span>
        </>
      }
    />
  );
}

/** What the run or the server said about its state; else what the state means. */
function reasonOf({ status, statusMessage, exitCode, options }: RunDetail): string | undefined {
  const { reasons } = RUN_WORDS;
  if (statusMessage !== null && statusMessage !== undefined && statusMessage !== '') return statusMessage;
  if (status === 'READY') return reasons.waiting;
  if (status === 'TIMED-OUT') return reasons.timedOut(formatDuration(options.timeoutSecs * SECOND));
  if (status === 'TIMING-OUT') return reasons.timingOut;
  if (status === 'ABORTED') return reasons.aborted;
  if (status === 'ABORTING') return reasons.aborting;
  if (status === 'FAILED' && exitCode !== null && exitCode !== undefined)
    return reasons.failed(String(exitCode));
  return undefined;
}
