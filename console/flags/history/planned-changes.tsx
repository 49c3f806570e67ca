// What is planned for a flag: when, by whom, what it will do, and a button that cancels it.
import { useState } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { Flag } from '../flag.ts';
import { useFlagPermissions } from '../permissions.ts';
import { MemberName } from '../people.tsx';
import { Sentences } from '../save/difference.tsx';
import { usePreview } from '../save/save-queries.ts';
import { useCancel, useScheduledChanges, type ScheduledChange } from './history-queries.ts';
import { HISTORY } from './history-words.ts';

const WORDS = HISTORY.planned;
/** Each is a call of its own. */
const MAX_ENVIRONMENTS = 12;

interface PlannedChangesProps {
  project: string;
  flag: Flag;
  /** Its key; of all environments where it is undefined. */
  environment: string | undefined;
}

export function PlannedChanges({ project, flag, environment }: PlannedChangesProps) {
  const all = Object.keys(flag.environments ?? {});
  const shown = environment !== undefined && all.includes(environment) ? [environment] : all;
  return (
    <>
      {shown.slice(0, MAX_ENVIRONMENTS).map((key) => (
        <PlannedIn key={key} project={project} flag={flag} environment={key} />
      ))}
      {shown.length > MAX_ENVIRONMENTS && <p className="muted t13">{WORDS.some(MAX_ENVIRONMENTS)}</p>}
    </>
  );
}

interface PlannedInProps {
  project: string;
  flag: Flag;
  environment: string;
}

/** Nothing where nothing is planned. */
function PlannedIn({ project, flag, environment }: PlannedInProps) {
  const { data } = useScheduledChanges(project, flag.key, environment);
  const changes = data?.items ?? [];
  if (changes.length === 0) return null;
  const name = flag.environments?.[environment]?._environmentName ?? environment;
  return (
    <Card icon="clock" title={`${WORDS.title}: ${name}`} isFlush>
      <ul className="plain-list" aria-label={`${WORDS.title}: ${name}`}>
        {changes.map((change) => (
          <li key={change._id}>
            <PlannedRow project={project} flag={flag} environment={environment} change={change} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function PlannedRow({ project, flag, environment, change }: PlannedInProps & { change: ScheduledChange }) {
  const [isAsking, setAsking] = useState(false);
  const isFailed = change.status === 'failed';
  const { may } = useFlagPermissions(project, flag.key, environment);
  return (
    <>
      <div className="grow stack stack--4">
        <div className="row row--wrap">
          {isFailed ? <Status tone="bad">{WORDS.failed}</Status> : <span>{WORDS.at}</span>}
          <Time at={change.executionDate} />
          <span className="muted">
            {WORDS.by} <MemberName id={change._maintainerId} />
          </span>
        </div>
        {!isFailed && <WhatItDoes project={project} flag={flag} environment={environment} change={change} />}
        {change.conflicts.map(({ reason }) => (
          <Banner key={reason} tone="bad">
            {reason}
          </Banner>
        ))}
        {change.comment !== undefined && change.comment !== '' && <q>{change.comment}</q>}
      </div>
      {may('updateScheduledChanges') && (
        <Button size="sm" onClick={() => setAsking(true)}>
          {isFailed ? WORDS.remove : WORDS.cancel}
        </Button>
      )}
      {isAsking && (
        <CancelDialog
          project={project}
          flag={flag}
          environment={environment}
          change={change}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Against the flag as it is now: a plan that no longer fits says so before its time. */
function WhatItDoes({ project, flag, environment, change }: PlannedInProps & { change: ScheduledChange }) {
  const { data, error } = usePreview({
    project,
    environment,
    resource: { kind: 'flag', key: flag.key, name: flag.name },
    instructions: change.instructions,
    version: 0,
  });
  if (error !== null)
    return (
      <Banner tone="warn">
        {WORDS.conflict} {error.message}
      </Banner>
    );
  if (data === undefined) return null;
  return <Sentences sentences={data.sentences.map(({ sentence }) => sentence)} />;
}

interface CancelDialogProps extends PlannedInProps {
  change: ScheduledChange;
  onClose: () => void;
}

function CancelDialog({ project, flag, environment, change, onClose }: CancelDialogProps) {
  const cancel = useCancel(project, flag.key, environment);
  const isFailed = change.status === 'failed';
  return (
    <ConfirmDialog
      title={isFailed ? WORDS.removeTitle : WORDS.cancelTitle(environment)}
      confirmLabel={isFailed ? WORDS.removeConfirm : WORDS.confirm}
      isBusy={cancel.isPending}
      error={cancel.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        cancel.mutate(change._id, {
          onSuccess: () => {
            toast({ text: isFailed ? WORDS.removed : WORDS.cancelled });
            onClose();
          },
        })
      }
    >
      <p>{isFailed ? WORDS.removeText : WORDS.cancelText}</p>
    </ConfirmDialog>
  );
}
