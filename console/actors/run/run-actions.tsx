// What can be done with a run: abort, resurrect, rerun with edited input, delete.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../../app/me.ts';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { isOver, type RunDetail } from '../run.ts';
import { RerunDialog } from './rerun-dialog.tsx';
import { useAbort, useDataset, useDeleteRun, useResurrect } from './run-queries.ts';
import { RUN_WORDS } from './run-words.ts';

type OpenDialog = 'abort' | 'resurrect' | 'rerun' | 'delete';

export function RunActions({ run }: { run: RunDetail }) {
  const [open, setOpen] = useState<OpenDialog>();
  const close = () => setOpen(undefined);
  const [mayUpdate, mayDelete, mayRun] =
    useMay([
      { action: 'updateRun', resource: `actor-run/${run.id}` },
      { action: 'deleteRun', resource: `actor-run/${run.id}` },
      { action: 'runActor', resource: `actor/${run.actId}` },
    ]) ?? [];
  const isDone = isOver(run);
  return (
    <>
      {mayRun === true && (
        <Button icon="redo" onClick={() => setOpen('rerun')}>
          {RUN_WORDS.rerun}
        </Button>
      )}
      {mayUpdate === true && isDone && (
        <Button icon="play" onClick={() => setOpen('resurrect')}>
          {RUN_WORDS.resurrect}
        </Button>
      )}
      {mayUpdate === true && !isDone && (
        <Button tone="danger" icon="stop" onClick={() => setOpen('abort')}>
          {RUN_WORDS.abort}
        </Button>
      )}
      {mayDelete === true && (
        <Menu
          trigger={<Button tone="ghost" icon="dots" label={RUN_WORDS.more} />}
          items={[
            {
              label: RUN_WORDS.remove,
              icon: 'trash',
              tone: 'danger',
              disabledReason: isDone ? undefined : RUN_WORDS.notOver,
              onSelect: () => setOpen('delete'),
            },
          ]}
        />
      )}
      {open === 'abort' && <AbortDialog run={run} onClose={close} />}
      {open === 'resurrect' && <ResurrectDialog run={run} onClose={close} />}
      {open === 'rerun' && <RerunDialog run={run} onClose={close} />}
      {open === 'delete' && <DeleteDialog run={run} onClose={close} />}
    </>
  );
}

interface RunDialogProps {
  run: RunDetail;
  onClose: () => void;
}

function AbortDialog({ run, onClose }: RunDialogProps) {
  const [how, setHow] = useState<'graceful' | 'now'>('graceful');
  const abort = useAbort(run.id);
  const { abortDialog } = RUN_WORDS;
  return (
    <ConfirmDialog
      title={abortDialog.title}
      tone="danger"
      confirmLabel={abortDialog.confirm[how]}
      isBusy={abort.isPending}
      error={abort.error ?? undefined}
      onClose={onClose}
      onConfirm={() => abort.mutate({ isGraceful: how === 'graceful' }, { onSuccess: onClose })}
    >
      <RadioCards
        label={abortDialog.how}
        value={how}
        onChange={setHow}
        options={[
          { value: 'graceful', label: abortDialog.graceful, text: abortDialog.gracefulText },
          { value: 'now', label: abortDialog.now, text: abortDialog.nowText },
        ]}
      />
      <p>{abortDialog.kept}</p>
    </ConfirmDialog>
  );
}

const SECOND = 1000;

function ResurrectDialog({ run, onClose }: RunDialogProps) {
  const resurrect = useResurrect(run.id);
  const { data } = useDataset(run.defaultDatasetId);
  const { resurrectDialog: words } = RUN_WORDS;
  const { timeoutSecs } = run.options;
  const span = timeoutSecs === 0 ? RUN_WORDS.neverStops : formatDuration(timeoutSecs * SECOND);
  const items = RUN_WORDS.allItems(data === undefined ? '…' : formatCount(data.data.itemCount));
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={resurrect.isPending}
      error={resurrect.error ?? undefined}
      onClose={onClose}
      onConfirm={() => resurrect.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{words.text}</p>
      <h3 className="h4">{words.kept}</h3>
      <ul className="run-kept">
        <li>{words.keptItems(items)}</li>
        {words.keptRest.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <h3 className="h4">{words.changed}</h3>
      <ul className="run-kept">
        {words.changedItems(run.buildNumber ?? '', span).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

function DeleteDialog({ run, onClose }: RunDialogProps) {
  const remove = useDeleteRun(run.id);
  const [, navigate] = useLocation();
  const { deleteDialog } = RUN_WORDS;
  return (
    <ConfirmDialog
      title={deleteDialog.title}
      tone="danger"
      confirmLabel={deleteDialog.confirm}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => navigate('/runs') })}
    >
      <p>{deleteDialog.text}</p>
      <p>
        {RUN_WORDS.runId}: <code className="key">{run.id}</code>
      </p>
    </ConfirmDialog>
  );
}
