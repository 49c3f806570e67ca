// One record: shown as its type allows, edited where it is text, downloaded, deleted.
import { useState } from 'react';
import { useChange } from '../../../api/read.ts';
import type { RecordHead } from '../../../api/types/signalbox.ts';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { SidePanel } from '../../../lib/side-panel.tsx';
import { download, openInTab } from '../../../lib/signed-link.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { EmptyState, Skeleton } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { RecordPreview } from './record-preview.tsx';
import { deleteRecordCall, kindOf, recordCall, RECORDS, useRecordHead } from './records.ts';
import { WORDS } from './store-words.ts';

export interface RecordPanelProps {
  storeId: string;
  recordKey: string;
  onClose: () => void;
}

export function RecordPanel({ storeId, recordKey, onClose }: RecordPanelProps) {
  const { data: head, error, refetch } = useRecordHead(storeId, recordKey);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <SidePanel
        title={
          <span className="row row--4">
            <span className="mono value-text">{recordKey}</span>
            <CopyButton text={recordKey} label={WORDS.copyKey} />
          </span>
        }
        text={head && <HeadLine head={head} />}
        onClose={onClose}
        footer={
          head && (
            <>
              <Button
                size="sm"
                icon="dl"
                onClick={() => void download(recordCall(storeId, recordKey, { attachment: true }))}
              >
                {WORDS.download}
              </Button>
              {['image', 'html', 'pdf', 'media'].includes(kindOf(head.contentType)) && (
                <Button
                  size="sm"
                  icon="external"
                  onClick={() => void openInTab(recordCall(storeId, recordKey))}
                >
                  {WORDS.openTab}
                </Button>
              )}
              <span className="push" />
              <Button size="sm" tone="danger" icon="trash" onClick={() => setDeleting(true)}>
                {WORDS.remove}
              </Button>
            </>
          )
        }
      >
        {head === undefined ? (
          <section>
            {error === null ? (
              <Skeleton lines={6} />
            ) : (
              <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
            )}
          </section>
        ) : head === null ? (
          <EmptyState icon="file" title={WORDS.gone} text={WORDS.goneText} isPlain />
        ) : (
          <RecordPreview storeId={storeId} head={head} onReload={() => void refetch()} />
        )}
      </SidePanel>
      {isDeleting && (
        <DeleteRecord
          storeId={storeId}
          recordKey={recordKey}
          onClose={() => setDeleting(false)}
          onDone={onClose}
        />
      )}
    </>
  );
}

function HeadLine({ head }: { head: RecordHead }) {
  const { contentType, size, updatedAt } = head;
  return (
    <span className="value-text">
      {contentType} · {formatBytes(size)} · <Time at={updatedAt} />
    </span>
  );
}

function DeleteRecord({ storeId, recordKey, onClose, onDone }: RecordPanelProps & { onDone: () => void }) {
  const remove = useChange<void>(() => deleteRecordCall(storeId, recordKey), [RECORDS, 'key-value-store']);
  return (
    <ConfirmDialog
      title={WORDS.removeTitle(recordKey)}
      tone="danger"
      confirmLabel={WORDS.removeLabel}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            toast({ text: WORDS.removed(recordKey) });
            onClose();
            onDone();
          },
        })
      }
      onClose={onClose}
    >
      <p>{WORDS.removeText}</p>
    </ConfirmDialog>
  );
}
