// The browsers that are logged in as this person, and ending their sessions.
import { useMemo, useState } from 'react';
import { path } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import type { Session } from '../../api/types/signalbox.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { describeAgent } from './settings-agent.ts';
import { SESSION_TOPIC, useSessions } from './settings-queries.ts';
import { SESSIONS } from './settings-words.ts';

export function SessionsSection() {
  const { data, error, refetch, isPending } = useSessions();
  const [isAsking, setAsking] = useState(false);
  const endOne = useChange<string>(
    (id) => ({ api: 'signalbox', method: 'DELETE', path: path`/sessions/${id}` }),
    [SESSION_TOPIC],
  );
  const endOthers = useChange<void, { ended: number }>(
    () => ({ api: 'signalbox', method: 'DELETE', path: '/sessions' }),
    [SESSION_TOPIC],
  );
  const { mutate, variables, isPending: isEnding } = endOne;
  const busyId = isEnding ? variables : undefined;
  const columns = useMemo(
    () =>
      sessionColumns(busyId, (id) =>
        mutate(id, {
          onSuccess: () => toast({ text: SESSIONS.endedOne }),
          onError: ({ message }) => toast({ text: message, tone: 'bad' }),
        }),
      ),
    [mutate, busyId],
  );
  const rows = data?.items ?? [];
  const confirm = () =>
    endOthers.mutate(undefined, {
      onSuccess: ({ ended }) => {
        setAsking(false);
        toast({ text: SESSIONS.ended(ended) });
      },
    });
  return (
    <Section
      title={SESSIONS.title}
      actions={
        <Button
          size="sm"
          tone="danger"
          disabledReason={rows.length > 1 ? undefined : SESSIONS.noOthers}
          onClick={() => setAsking(true)}
        >
          {SESSIONS.endOthers}
        </Button>
      }
    >
      <p className="t13 muted set__p">{SESSIONS.text}</p>
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label={SESSIONS.title}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          isLoading={isPending}
        />
      )}
      {isAsking && (
        <ConfirmDialog
          title={SESSIONS.confirmTitle}
          confirmLabel={SESSIONS.confirm}
          tone="danger"
          isBusy={endOthers.isPending}
          error={endOthers.error ?? undefined}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>{SESSIONS.confirmText}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function sessionColumns(busyId: string | undefined, onEnd: (id: string) => void): TableColumn<Session>[] {
  return [
    {
      id: 'browser',
      head: SESSIONS.browser,
      isMain: true,
      cell: (entry) => (
        <span className="row row--wrap" title={entry.agent}>
          {agentOf(entry)} {entry.isCurrent && <Badge tone="ok">{SESSIONS.current}</Badge>}
        </span>
      ),
    },
    { id: 'address', head: SESSIONS.address, cell: ({ address = '' }) => <code>{address}</code> },
    { id: 'created', head: SESSIONS.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: 'seen',
      head: SESSIONS.seen,
      cell: ({ seenAt, createdAt }) => <Time at={seenAt ?? createdAt} />,
    },
    {
      id: 'expires',
      head: SESSIONS.expires,
      priority: 'low',
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    {
      id: 'end',
      head: SESSIONS.end,
      cardLabel: null,
      align: 'end',
      cell: (entry) =>
        // This browser logs out by the menu of the account.
        entry.isCurrent ? null : (
          <Button
            size="xs"
            aria-label={SESSIONS.endOf(agentOf(entry))}
            isBusy={busyId === entry.id}
            onClick={() => onEnd(entry.id)}
          >
            {SESSIONS.end}
          </Button>
        ),
    },
  ];
}

function agentOf({ agent = '' }: Session): string {
  return agent === '' ? SESSIONS.unknown : describeAgent(agent);
}
