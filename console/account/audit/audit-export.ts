// Reads what is filtered page by page, and writes it as JSON lines or CSV. The text is made in the browser, and saved through a link to it.
import { ApiError } from '../../api/error.ts';
import { send } from '../../api/client.ts';
import type { CursorPage } from '../../api/read.ts';
import type { Activity } from '../../api/types/signalbox.ts';
import { actorOf } from '../../lib/activity.tsx';
import type { AuditQuery } from './audit-queries.ts';

export type ExportFormat = 'jsonl' | 'csv';

export const MAX_EXPORTED = 10_000;
const ROWS_AT_ONCE = 100;
const MAX_WAITS = 20;

export interface ExportProgress {
  count: number;
  isWaiting: boolean;
}

export interface ExportResult {
  entries: Activity[];
  /** More fits the filter than was read. */
  isCut: boolean;
}

export async function readForExport(
  query: AuditQuery,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
): Promise<ExportResult> {
  const entries: Activity[] = [];
  let cursor: string | undefined;
  for (let waits = 0; ;) {
    onProgress({ count: entries.length, isWaiting: false });
    try {
      const { body } = await send<CursorPage<Activity>>(
        {
          api: 'signalbox',
          path: '/activity',
          query: { ...query, limit: ROWS_AT_ONCE, ...(cursor !== undefined && { cursor }) },
        },
        signal,
      );
      entries.push(...body.items);
      cursor = body.next;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || waits === MAX_WAITS) throw error;
      waits += 1;
      onProgress({ count: entries.length, isWaiting: true });
      await pause((error.retryAfter ?? 1) * 1000, signal);
      continue;
    }
    if (cursor === undefined) return { entries, isCut: false };
    if (entries.length >= MAX_EXPORTED) return { entries: entries.slice(0, MAX_EXPORTED), isCut: true };
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('Stopped', 'AbortError'));
    });
  });
}

const COLUMNS: readonly [string, (entry: Activity) => string][] = [
  ['time', ({ at }) => new Date(at).toISOString()],
  ['product', ({ product }) => product],
  ['who', (entry) => actorOf(entry).name],
  ['email', ({ member }) => member?.email ?? ''],
  ['token', ({ token }) => (token === undefined ? '' : `${token.name} …${token.ending}`)],
  ['what', ({ verb }) => verb],
  ['name', ({ name }) => name],
  ['action', ({ action }) => action],
  ['resource', ({ resource }) => resource],
  ['comment', ({ comment }) => comment ?? ''],
  ['description', ({ description }) => description ?? ''],
  ['member id', ({ member }) => member?.id ?? ''],
  ['token id', ({ token }) => token?.id ?? ''],
  ['id', ({ id }) => id],
];

export function toText(entries: readonly Activity[], format: ExportFormat): string {
  if (format === 'jsonl') return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const lines = [
    COLUMNS.map(([name]) => name),
    ...entries.map((entry) => COLUMNS.map(([, read]) => read(entry))),
  ];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** A spreadsheet takes what begins so for a formula, and people choose names. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const TYPES: Record<ExportFormat, string> = {
  jsonl: 'application/jsonl',
  csv: 'text/csv;charset=utf-8',
};

/** Returns the name of the file. */
export function saveFile(text: string, format: ExportFormat, now: number): string {
  const name = `audit-log-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`;
  const url = URL.createObjectURL(new Blob([text], { type: TYPES[format] }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser may still be reading it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return name;
}
