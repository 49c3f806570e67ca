// One change of many flags: what, why and where; then its progress, and what became of each flag.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { invalidateTopics } from '../../api/read.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Meter } from '../../ui/chart.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { BulkFields, type BulkDraft } from './bulk-fields.tsx';
import {
  bulkCallOf,
  bulkGuardOf,
  readTags,
  runBulk,
  undoCallsOf,
  type BulkGuard,
  type BulkKind,
  type BulkResult,
  type BulkWish,
} from './bulk-plan.ts';
import { LIST_WORDS } from './list-words.ts';

const WORDS = LIST_WORDS.bulk;

export interface BulkDialogProps {
  kind: BulkKind;
  project: string;
  flags: readonly Flag[];
  environments: readonly Environment[];
  shown: readonly Environment[];
  /** With the keys of those that were not changed; undefined where nothing was tried. */
  onClose: (left: string[] | undefined) => void;
}

export function BulkDialog({ kind, project, flags, environments, shown, onClose }: BulkDialogProps) {
  // What was selected when it was opened: rows may go while it is under way.
  const [chosen] = useState(flags);
  const [draft, setDraft] = useState<BulkDraft>({
    place: shown[0]?.key ?? '',
    isOn: true,
    isAdding: true,
    tags: '',
    comment: '',
    typed: '',
  });
  const run = useBulkRun();
  const undo = useBulkRun();
  const environment = environments.find(({ key }) => key === draft.place);
  const { tags, bad } = readTags(draft.tags);
  const wish: BulkWish = {
    kind,
    ...(kind === 'toggle' && environment && { environment }),
    isOn: draft.isOn,
    isAdding: draft.isAdding,
    tags,
    comment: draft.comment.trim(),
  };
  const guard = bulkGuardOf(wish, environments);
  const reason =
    kind === 'tag' && tags.length === 0
      ? WORDS.tagsFirst
      : bad !== undefined
        ? WORDS.badTag(bad)
        : guard.commented !== undefined && guard.approved === undefined && wish.comment === ''
          ? WORDS.commentFirst
          : guard.typed !== undefined && draft.typed.trim() !== guard.typed
            ? WORDS.typeFirst(guard.typed)
            : undefined;
  const start = () =>
    run.start(chosen.map((flag) => ({ flag, call: bulkCallOf(project, wish, flag, guard) })));
  const title = { toggle: WORDS.toggleTitle, tag: WORDS.tagTitle, archive: WORDS.archiveTitle }[kind];

  // Requests are withdrawn one by one: others may have said something about them.
  const undoCalls =
    run.state === 'ended' && guard.approved === undefined
      ? undoCallsOf(project, wish, chosen, run.results)
      : [];
  const undone = new Set(undoCalls.map(({ flag }) => flag.key));
  if (undo.state !== 'idle')
    return (
      <BulkProgress
        title={WORDS.undoTitle(undone.size)}
        run={undo}
        all={chosen.filter(({ key }) => undone.has(key))}
        doneWords={WORDS.undone}
        onClose={() => onClose(chosen.map(({ key }) => key))}
      />
    );
  if (run.state !== 'idle')
    return (
      <BulkProgress
        title={title(chosen.length)}
        run={run}
        all={chosen}
        doneWords={guard.approved === undefined ? WORDS.succeeded : WORDS.requested}
        action={
          undoCalls.length > 0 && (
            <Button icon="redo" onClick={() => undo.start(undoCalls)}>
              {WORDS.undo(undoCalls.length)}
            </Button>
          )
        }
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title={title(chosen.length)}
      tone={guard.typed === undefined ? 'normal' : 'production'}
      width={560}
      onClose={() => onClose(undefined)}
      footer={
        <>
          <Button data-autofocus="" onClick={() => onClose(undefined)}>
            {WORDS.cancel}
          </Button>
          <Button
            tone={guard.typed === undefined ? (kind === 'archive' ? 'danger-fill' : 'primary') : 'production'}
            disabledReason={reason}
            onClick={start}
          >
            {labelOf(wish, guard, chosen.length)}
          </Button>
        </>
      }
    >
      <BulkFields
        kind={kind}
        draft={draft}
        onChange={(patch) => setDraft((present) => ({ ...present, ...patch }))}
        environments={[...shown, ...environments.filter((one) => !shown.includes(one))]}
        guard={guard}
        badTag={bad}
        flags={chosen}
      />
    </Dialog>
  );
}

function labelOf({ kind, isOn, isAdding, environment }: BulkWish, guard: BulkGuard, count: number): string {
  if (guard.approved !== undefined) return WORDS.request(count);
  if (kind === 'archive') return WORDS.archive(count);
  if (kind === 'tag') return (isAdding ? WORDS.addTo : WORDS.removeFrom)(count);
  return (isOn ? WORDS.turnOn : WORDS.turnOff)(count, environment?.key ?? '');
}

interface BulkState {
  state: 'idle' | 'running' | 'ended';
  results: readonly BulkResult[];
  /** Until the server takes more. */
  waitSeconds: number | undefined;
  start: (calls: Parameters<typeof runBulk>[0]['calls']) => void;
  stop: () => void;
}

function useBulkRun(): BulkState {
  const [state, setState] = useState<BulkState['state']>('idle');
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [waitSeconds, setWaitSeconds] = useState<number>();
  const control = useRef(new AbortController());
  useEffect(() => {
    const { current } = control;
    return () => current.abort();
  }, []);
  return {
    state,
    results,
    waitSeconds,
    start: (calls) => {
      setState('running');
      void runBulk({
        calls,
        signal: control.current.signal,
        onResult: (result) => setResults((present) => [...present, result]),
        onWait: setWaitSeconds,
      }).finally(() => {
        setState('ended');
        invalidateTopics(['flag', 'activity', 'approval-request']);
      });
    },
    stop: () => control.current.abort(),
  };
}

interface BulkProgressProps {
  title: string;
  run: BulkState;
  all: readonly Flag[];
  doneWords: (number: number) => string;
  /** Beside the button that closes it, once it has ended. */
  action?: ReactNode;
  onClose: (left: string[]) => void;
}

function BulkProgress({ title, run, all, doneWords, action, onClose }: BulkProgressProps) {
  const { state, results, waitSeconds } = run;
  const done = new Set(results.filter(({ error }) => error === undefined).map(({ flag }) => flag.key));
  const reached = new Map(results.map((result) => [result.flag.key, result]));
  const failed = all.filter(({ key }) => !done.has(key));
  const isEnded = state === 'ended';
  const words = WORDS.done(results.length, all.length);
  const close = () => onClose(failed.map(({ key }) => key));
  return (
    <Dialog
      title={title}
      width={560}
      onClose={isEnded ? close : undefined}
      footer={
        isEnded ? (
          <>
            {action}
            <Button tone="primary" data-autofocus="" onClick={close}>
              {WORDS.close}
            </Button>
          </>
        ) : (
          <Button data-autofocus="" onClick={run.stop}>
            {WORDS.stop}
          </Button>
        )
      }
    >
      <div className="stack stack--8">
        <Meter label={WORDS.progress} value={results.length} max={all.length} text={words} />
        <p className="t13" role="status">
          {isEnded ? doneWords(done.size) : waitSeconds === undefined ? words : WORDS.waiting(waitSeconds)}
        </p>
      </div>
      {isEnded && failed.length > 0 && (
        <>
          <Banner tone="bad">
            {WORDS.failed(failed.length)} {results.length < all.length && WORDS.stopped}
          </Banner>
          <ul className="fl-results">
            {failed.map(({ key, name }) => (
              <li key={key}>
                <Icon name="err" className="bad" />
                <span>
                  <b dir="auto">{name}</b> <span className="mono t12 muted">{key}</span>
                  <br />
                  {reached.get(key)?.error ?? WORDS.notReached}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
