// Files that become records: their keys, what they replace, and how far each has come.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../api/error.ts';
import { invalidateTopics } from '../../../api/read.ts';
import { upload } from '../../../api/upload.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { TextInput } from '../../../ui/input.tsx';
import { Status } from '../../../ui/status.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { words } from '../../../ui/words.ts';
import { findHead, isRecordKey, keyOfFile, RECORDS, writeRecordCall } from './records.ts';
import { WORDS } from './store-words.ts';

interface UploadRow {
  file: File;
  key: string;
  isReplacing?: boolean;
  /** From 0 to 1 while it is sent. */
  sent?: number;
  isDone?: boolean;
  error?: string;
}

export interface UploadDialogProps {
  storeId: string;
  /** None where they are still to be chosen. */
  dropped: File[];
  onClose: () => void;
}

export function UploadDialog({ storeId, dropped, onClose }: UploadDialogProps) {
  const input = useRef<HTMLInputElement>(null);
  const control = useRef(new AbortController());
  const [rows, setRows] = useState<UploadRow[]>(() => dropped.map(rowOf));
  const [isBusy, setBusy] = useState(false);
  const patch = (file: File, change: Partial<UploadRow>) =>
    setRows((present) => present.map((row) => (row.file === file ? { ...row, ...change } : row)));
  useEffect(() => () => control.current.abort(), []);
  useReplaced(storeId, rows, patch);
  const waiting = rows.filter(({ isDone }) => isDone !== true);
  const problem = problemOf(waiting);
  const start = async () => {
    setBusy(true);
    let count = 0;
    for (const row of waiting) if (await sendRow(storeId, row, patch, control.current.signal)) count += 1;
    invalidateTopics([RECORDS, 'key-value-store']);
    setBusy(false);
    if (count > 0) toast({ text: WORDS.uploaded(formatCount(count)) });
    if (count === waiting.length) onClose();
  };
  return (
    <Dialog
      title={WORDS.uploadTitle}
      text={WORDS.uploadText}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            tone="primary"
            icon="aup"
            isBusy={isBusy}
            disabledReason={problem}
            onClick={() => void start()}
          >
            {WORDS.uploadCount(formatCount(waiting.length))}
          </Button>
        </>
      }
    >
      <div className="stack stack--16">
        <div>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={WORDS.chooseFiles}
            onChange={({ target }) => setRows([...rows, ...[...(target.files ?? [])].map(rowOf)])}
          />
          <Button icon="file" data-autofocus="" onClick={() => input.current?.click()}>
            {WORDS.chooseFiles}
          </Button>
        </div>
        {rows.map((row) => (
          <FileRow
            key={`${row.file.name} ${row.file.size} ${row.file.lastModified}`}
            row={row}
            isTwice={rows.filter(({ key }) => key === row.key).length > 1}
            onKey={(key) => patch(row.file, { key, isReplacing: false })}
            onRemove={() => setRows(rows.filter(({ file }) => file !== row.file))}
          />
        ))}
      </div>
    </Dialog>
  );
}

function rowOf(file: File): UploadRow {
  return { file, key: keyOfFile(file.name) };
}

function problemOf(rows: readonly UploadRow[]): string | undefined {
  if (rows.length === 0) return WORDS.chooseFiles;
  if (!rows.every(({ key }) => isRecordKey(key))) return WORDS.badKey;
  return new Set(rows.map(({ key }) => key)).size < rows.length ? WORDS.twice : undefined;
}

type Patch = (file: File, change: Partial<UploadRow>) => void;

/** Asks for each key whether there is a record of it. */
function useReplaced(storeId: string, rows: readonly UploadRow[], patch: Patch): void {
  const change = useRef(patch);
  useEffect(() => {
    change.current = patch;
  });
  const asked = useRef(new Set<string>());
  useEffect(() => {
    for (const { file, key } of rows) {
      if (!isRecordKey(key) || asked.current.has(key)) continue;
      asked.current.add(key);
      findHead(storeId, key).then(
        (head) => head !== undefined && change.current(file, { isReplacing: true }),
        () => asked.current.delete(key),
      );
    }
  }, [storeId, rows]);
}

/** False where it failed: the row says why, and can be sent again. */
async function sendRow(
  storeId: string,
  { file, key }: UploadRow,
  patch: Patch,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await upload({
      call: writeRecordCall(storeId, key, file.type || 'application/octet-stream'),
      form: file,
      onProgress: (sent, whole) => patch(file, { sent: whole === 0 ? 1 : sent / whole }),
      signal,
    });
    patch(file, { isDone: true });
    return true;
  } catch (error) {
    if (error instanceof ApiError) patch(file, { error: error.message });
    return false;
  }
}

interface FileRowProps {
  row: UploadRow;
  isTwice: boolean;
  onKey: (key: string) => void;
  onRemove: () => void;
}

function FileRow({ row, isTwice, onKey, onRemove }: FileRowProps) {
  const { file, key, isReplacing, sent, isDone, error } = row;
  const problem = error ?? (isRecordKey(key) ? isTwice && WORDS.twice : WORDS.badKey);
  return (
    <Field
      label={WORDS.keyOf(file.name)}
      end={`${file.type || 'application/octet-stream'}, ${formatBytes(file.size)}`}
      error={problem}
      help={isReplacing === true ? WORDS.replaces : undefined}
    >
      <div className="row row--4">
        <TextInput isMono className="grow" spellCheck={false} value={key} onValue={onKey} readOnly={isDone} />
        {isDone === true ? (
          <Status tone="ok">{WORDS.sent}</Status>
        ) : sent === undefined ? (
          <Button tone="ghost" icon="x" label={WORDS.removeFile(file.name)} onClick={onRemove} />
        ) : (
          <progress max={1} value={sent} aria-label={WORDS.keyOf(file.name)} />
        )}
      </div>
    </Field>
  );
}
