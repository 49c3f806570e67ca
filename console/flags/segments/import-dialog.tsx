// Imports a file into a big segment: what it will do, the sending with its progress, and how far the server came.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { upload } from '../../api/upload.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { words } from '../../ui/words.ts';
import type { Environment } from '../queries.ts';
import { GuardField } from '../save/guard-field.tsx';
import { needsTypedKey } from '../save/guard.ts';
import { importsCall, useImport, type SegmentImport } from './big-queries.ts';
import type { Segment } from './segment.ts';
import type { SegmentPlace } from './segments-queries.ts';
import { BIG } from './segments-words.ts';

interface ImportDialogProps {
  place: SegmentPlace;
  segment: Segment;
  environment: Environment | undefined;
  onClose: () => void;
}

type Stage =
  | { kind: 'choosing'; error?: ApiError }
  | { kind: 'sending'; sent: number; whole: number }
  | { kind: 'sent'; id: string };

export function ImportDialog({ place, segment, environment, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File>();
  const [mode, setMode] = useState<'merge' | 'replace'>('merge');
  const [typed, setTyped] = useState('');
  const [stage, setStage] = useState<Stage>({ kind: 'choosing' });
  const sending = useRef<AbortController>(undefined);
  useEffect(() => () => sending.current?.abort(), []);
  const isTyped =
    environment === undefined || !needsTypedKey(environment) || typed.trim() === environment.key;
  const reason =
    file === undefined ? BIG.noFile : isTyped ? undefined : words.typeFirst(environment?.key ?? '');
  const begin = async () => {
    if (file === undefined) return;
    const control = new AbortController();
    sending.current = control;
    setStage({ kind: 'sending', sent: 0, whole: file.size });
    const form = new FormData();
    form.set('mode', mode);
    // Where approval is required, the import waits for it instead of being refused.
    form.set('waitOnApprovals', 'true');
    form.set('file', file);
    try {
      const location = await upload({
        call: importsCall(place),
        form,
        onProgress: (sent, whole) => setStage({ kind: 'sending', sent, whole }),
        signal: control.signal,
      });
      invalidateTopics(['segment']);
      setStage({ kind: 'sent', id: location?.split('/').at(-1) ?? '' });
    } catch (error) {
      setStage({ kind: 'choosing', ...(error instanceof ApiError && { error }) });
    }
  };
  return (
    <Dialog
      title={BIG.importTitle(segment.name)}
      width={560}
      tone={environment?.critical === true ? 'production' : 'normal'}
      onClose={onClose}
      footer={
        stage.kind === 'choosing' ? (
          <>
            <Button onClick={onClose}>{words.cancel}</Button>
            <Button
              tone={environment?.critical === true ? 'production' : 'primary'}
              disabledReason={reason}
              onClick={() => void begin()}
            >
              {BIG.importConfirm(segment.name, place.environment)}
            </Button>
          </>
        ) : stage.kind === 'sending' ? (
          <Button onClick={() => sending.current?.abort()}>{BIG.stop}</Button>
        ) : (
          <Button onClick={onClose}>{BIG.done}</Button>
        )
      }
    >
      {stage.kind === 'choosing' && (
        <div className="stack stack--16">
          {stage.error !== undefined && (
            <Banner tone="bad">
              {stage.error.message} {stage.error.requestId}
            </Banner>
          )}
          <Field label={BIG.file} help={BIG.fileHelp}>
            {(id, describedBy) => (
              <input
                id={id}
                aria-describedby={describedBy}
                className="import__file"
                type="file"
                accept=".csv,text/csv,text/plain"
                onChange={({ target }) => setFile(target.files?.[0])}
              />
            )}
          </Field>
          <RadioCards
            label={BIG.mode}
            value={mode}
            onChange={setMode}
            options={[
              { value: 'merge', label: BIG.merge, text: BIG.mergeText },
              { value: 'replace', label: BIG.replace, text: BIG.replaceText },
            ]}
          />
          {environment !== undefined && needsTypedKey(environment) && (
            <GuardField place={environment.key} value={typed} onChange={setTyped} />
          )}
        </div>
      )}
      {stage.kind === 'sending' && (
        <Progress
          value={stage.sent}
          whole={stage.whole}
          text={BIG.uploading(formatBytes(stage.sent), formatBytes(stage.whole))}
        />
      )}
      {stage.kind === 'sent' && <ImportState place={place} id={stage.id} />}
    </Dialog>
  );
}

function ImportState({ place, id }: { place: SegmentPlace; id: string }) {
  const { data, error } = useImport(place, id);
  if (error !== null && data === undefined) return <Banner tone="bad">{error.message}</Banner>;
  if (data === undefined || data.status === 'preparing') return <p role="status">{BIG.checking}</p>;
  if (data.status === 'in_progress')
    return (
      <Progress
        value={data.processedCount}
        whole={data.keyCount}
        text={BIG.running(formatCount(data.processedCount), formatCount(data.keyCount))}
      />
    );
  return <ImportEnd state={data} />;
}

function ImportEnd({ state }: { state: SegmentImport }) {
  if (state.status === 'pending_approval') return <Banner tone="warn">{BIG.waiting}</Banner>;
  if (state.status === 'stopped')
    return (
      <Banner tone="bad">
        {BIG.stopped} {state.message}
      </Banner>
    );
  return (
    <p role="status">{BIG.complete(formatCount(state.changedCount), formatCount(state.removedCount))}</p>
  );
}

function Progress({ value, whole, text }: { value: number; whole: number; text: string }) {
  return (
    <div className="stack stack--8" role="status">
      <progress className="progress" aria-label={BIG.progress} value={value} max={Math.max(whole, 1)} />
      <p className="t13">{text}</p>
    </div>
  );
}
