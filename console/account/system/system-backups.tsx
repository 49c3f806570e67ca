// Backups of the server: made now, checked and downloaded, with how far the one that is made is; and the pause after a restore.
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import type { Backup, BackupRun, Backups } from '../../api/types/signalbox.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { download } from '../../lib/signed-link.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import {
  createBackupCall,
  downloadBackupCall,
  resumeCall,
  useBackups,
  verifyBackupCall,
} from './system-queries.ts';
import { BACKUPS } from './backup-words.ts';

export function BackupsSection({ isPaused }: { isPaused: boolean }) {
  const { data, error, refetch } = useBackups();
  const create = useChange<void>(createBackupCall);
  const verify = useChange<string>(verifyBackupCall);
  const running = data?.runs.find(isUnfinished);
  const busyReason = isPaused ? BACKUPS.waits : running === undefined ? undefined : BACKUPS.busy;
  const failure = create.error ?? verify.error;
  const readAgain = { onSuccess: () => void refetch() };
  return (
    <Section
      title={BACKUPS.title}
      actions={
        data && (
          <Button
            icon="disk"
            isBusy={create.isPending}
            disabledReason={busyReason}
            onClick={() => create.mutate(undefined, readAgain)}
          >
            {BACKUPS.now}
          </Button>
        )
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton rows={3} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="stack stack--12">
          <Schedule backups={data} />
          {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
          {data.problem !== undefined && <Banner tone="bad">{data.problem}</Banner>}
          <LastRun run={data.runs[0]} />
          <Table
            label={BACKUPS.title}
            columns={columnsOf({
              busyReason,
              onVerify: (id) => verify.mutate(id, readAgain),
            })}
            rows={data.items}
            rowKey={({ id }) => id}
            emptyState={<EmptyState icon="disk" title={BACKUPS.empty} text={BACKUPS.emptyText} />}
          />
        </div>
      )}
    </Section>
  );
}

function isUnfinished({ state }: BackupRun): boolean {
  return state === 'waiting' || state === 'running';
}

function Schedule({ backups }: { backups: Backups }) {
  const { place, isEncrypted, isOnDataDisk, everyHours, keptDays, nextAt } = backups;
  return (
    <>
      <p className="muted t13">
        {BACKUPS.place} <code className="mono">{place}</code>
        {isEncrypted ? BACKUPS.encrypted : BACKUPS.plain} {BACKUPS.every(everyHours)}{' '}
        {nextAt !== undefined && (
          <>
            {BACKUPS.next} <Time at={nextAt} />.{' '}
          </>
        )}
        {BACKUPS.kept(keptDays)} {BACKUPS.settings}
      </p>
      {isOnDataDisk && <Banner tone="warn">{BACKUPS.sameDisk}</Banner>}
    </>
  );
}

/** What is going on, or why the last one has failed. */
function LastRun({ run }: { run: BackupRun | undefined }) {
  if (run === undefined) return null;
  if (run.state === 'failed') return <Banner tone="bad">{BACKUPS.failed(run.kind, run.error ?? '')}</Banner>;
  const text = isUnfinished(run)
    ? BACKUPS.running(run.kind, run.progress, formatBytes(run.bytes))
    : BACKUPS.done(run.progress);
  return (
    <p className="t13" role="status">
      {text} {run.finishedAt !== undefined && <Time at={run.finishedAt} />}
    </p>
  );
}

interface RowActions {
  /** Why nothing can be checked just now. */
  busyReason: string | undefined;
  onVerify: (id: string) => void;
}

function columnsOf({ busyReason, onVerify }: RowActions): TableColumn<Backup>[] {
  return [
    {
      id: 'made',
      head: BACKUPS.columns.made,
      isMain: true,
      cell: ({ createdAt, isRowsOnly, broken }) => (
        <span className="row row--4 row--wrap">
          <Time at={createdAt} />
          {isRowsOnly && <Badge tone="acc">{BACKUPS.rowsOnly}</Badge>}
          {broken !== undefined && <Badge tone="bad">{broken}</Badge>}
        </span>
      ),
    },
    { id: 'release', head: BACKUPS.columns.release, priority: 'low', cell: ({ release = '' }) => release },
    {
      id: 'rows',
      head: BACKUPS.columns.rows,
      align: 'end',
      priority: 'mid',
      cell: ({ rows = 0 }) => formatCount(rows),
    },
    { id: 'size', head: BACKUPS.columns.size, align: 'end', cell: ({ bytes = 0 }) => formatBytes(bytes) },
    {
      id: 'actions',
      head: <span className="vh">{BACKUPS.columns.actions}</span>,
      isEnd: true,
      cell: ({ id, createdAt }) => (
        <span className="row row--4">
          <Button size="sm" disabledReason={busyReason} onClick={() => onVerify(id)}>
            {BACKUPS.verify}
          </Button>
          <Button
            size="sm"
            icon="dl"
            label={BACKUPS.downloadOf(new Date(createdAt).toLocaleString())}
            onClick={() => void download(downloadBackupCall(id))}
          />
        </span>
      ),
    },
  ];
}

/** Resuming cannot be undone, so it is asked whether this is the server that is to go on. */
export function PausedBanner({ since, onResumed }: { since: number; onResumed: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const resume = useChange<void>(resumeCall);
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button size="sm" onClick={() => setIsAsking(true)}>
            {BACKUPS.resume}
          </Button>
        }
      >
        <b>{BACKUPS.paused}</b> {BACKUPS.pausedText} <Time at={since} />
      </Banner>
      {isAsking && (
        <ConfirmDialog
          title={BACKUPS.resumeTitle}
          confirmLabel={BACKUPS.resume}
          isBusy={resume.isPending}
          error={resume.error ?? undefined}
          onConfirm={() =>
            resume.mutate(undefined, {
              onSuccess: () => {
                setIsAsking(false);
                onResumed();
              },
            })
          }
          onClose={() => setIsAsking(false)}
        >
          {BACKUPS.resumeText}
        </ConfirmDialog>
      )}
    </>
  );
}
