// Asks before an action for many runs, and then shows what became of each.
import { useState } from 'react';
import { RunStatusView } from '../../lib/run-status.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import { words } from '../../ui/words.ts';
import { ActorName } from '../run-cells.tsx';
import type { Run } from '../run.ts';
import { canApply, useBulk, type BulkAction, type BulkResult } from './bulk.ts';
import { RUNS_WORDS } from './runs-words.ts';

export interface BulkDialogProps {
  action: BulkAction;
  runs: readonly Run[];
  /** `isChanged` after at least one call was made. */
  onClose: (isChanged: boolean) => void;
  /** Shows these runs alone. */
  onShow: (ids: readonly string[]) => void;
}

export function BulkDialog({ action, runs: given, onClose, onShow }: BulkDialogProps) {
  // The list changes while the calls are made.
  const [runs] = useState(given);
  const { results, changed, isBegun, isDone, failures, start } = useBulk(action, runs);
  const bulkWords = RUNS_WORDS.bulk[action];
  const able = runs.filter((run) => canApply(action, run)).length;
  const count = formatCount(able);
  // The same button from the first moment on: nothing changes its meaning under the pointer.
  const hasShow = action !== 'delete' && (!isDone || changed.length > 0);
  return (
    <Dialog
      title={bulkWords.title(count)}
      text={bulkWords.text}
      onClose={() => onClose(isBegun)}
      footer={
        isBegun ? (
          <>
            {hasShow && isDone && <Button onClick={() => onClose(true)}>{RUNS_WORDS.finish}</Button>}
            <Button
              tone="primary"
              isBusy={!isDone}
              onClick={() => (hasShow ? onShow(changed) : onClose(true))}
            >
              {hasShow ? RUNS_WORDS.show[action] : RUNS_WORDS.finish}
            </Button>
          </>
        ) : (
          <>
            <Button data-autofocus="" onClick={() => onClose(false)}>
              {words.cancel}
            </Button>
            <Button
              tone={action === 'resurrect' || action === 'rerun' ? 'primary' : 'danger-fill'}
              disabledReason={able === 0 ? RUNS_WORDS.none : undefined}
              onClick={start}
            >
              {bulkWords.confirm(count)}
            </Button>
          </>
        )
      }
    >
      {isDone && failures > 0 && <Banner tone="bad">{RUNS_WORDS.failed(formatCount(failures))}</Banner>}
      <ul className="bulk-list" aria-label={RUNS_WORDS.results}>
        {runs.map((run) => (
          <li key={run.id}>
            <ActorName id={run.actId} />
            <RunStatusView status={run.status} />
            <span className="bulk-result">
              {canApply(action, run) ? (
                <Result result={results.get(run.id)} />
              ) : (
                <span className="muted">{RUNS_WORDS.skipped[action]}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Result({ result }: { result: BulkResult | undefined }) {
  if (result === undefined) return null;
  if (result.state === 'failed') return <Status tone="bad">{result.message}</Status>;
  if (result.state === 'done') return <Status tone="ok">{RUNS_WORDS.done}</Status>;
  return (
    <Status tone={result.state === 'busy' ? 'run' : 'neutral'}>
      {result.state === 'busy' ? RUNS_WORDS.busy : RUNS_WORDS.waiting}
    </Status>
  );
}
