// Who holds locks, and a way to release all of one client: of a run that is gone.
import { useState } from 'react';
import { useChange } from '../../../api/read.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { formatCount } from '../../../ui/format.ts';
import { toast } from '../../../ui/toast-store.ts';
import type { QueueRequest } from './request.ts';
import { releaseAllCall, REQUESTS } from './requests.ts';
import { WORDS } from './queue-words.ts';

export interface LockHoldersProps {
  queueId: string;
  locked: readonly QueueRequest[];
}

interface Holder {
  client: string | undefined;
  count: number;
}

export function LockHolders({ queueId, locked }: LockHoldersProps) {
  const [asked, setAsked] = useState<Holder>();
  const holders = holdersOf(locked);
  if (holders.length === 0) return null;
  return (
    <div className="q-holders">
      <Card title={WORDS.holders} isFlush>
        <ul className="plain-list">
          {holders.map((holder) => (
            <li key={holder.client ?? ''}>
              <span className="grow value-text">{holder.client ?? WORDS.noKey}</span>
              <Button size="sm" onClick={() => setAsked(holder)}>
                {WORDS.releaseAll(formatCount(holder.count))}
              </Button>
            </li>
          ))}
        </ul>
      </Card>
      {asked !== undefined && (
        <ReleaseAll queueId={queueId} holder={asked} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

function holdersOf(locked: readonly QueueRequest[]): Holder[] {
  const groups = Map.groupBy(locked, ({ lockByClient }) => lockByClient);
  return [...groups].map(([client, held]) => ({ client, count: held.length }));
}

function ReleaseAll({ queueId, holder, onClose }: { queueId: string; holder: Holder; onClose: () => void }) {
  const { client, count } = holder;
  const release = useChange<void, { data: { unlockedCount: number } }>(
    () => releaseAllCall(queueId, client),
    [REQUESTS, 'request-queue'],
  );
  return (
    <ConfirmDialog
      title={WORDS.releaseTitle(client ?? WORDS.noKey)}
      confirmLabel={WORDS.releaseAll(formatCount(count))}
      isBusy={release.isPending}
      error={release.error ?? undefined}
      onConfirm={() =>
        release.mutate(undefined, {
          onSuccess: ({ data }) => {
            toast({ text: WORDS.releasedAll(formatCount(data.unlockedCount)) });
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      <p>{WORDS.releaseText}</p>
    </ConfirmDialog>
  );
}
