// The records of a key-value store: how they are listed, read and written, and how each type is shown.
import { useQuery } from '@tanstack/react-query';
import { path, type Call } from '../../../api/call.ts';
import { readBytes, send } from '../../../api/client.ts';
import type { ApiError } from '../../../api/error.ts';
import { keyOf, usePages, type CursorPage } from '../../../api/read.ts';
import type { KeyGroup, RecordHead } from '../../../api/types/signalbox.ts';
import type { Query } from '../storage.ts';

const PAGE = 100;
/** What this page itself changes: records make no event of the stream. */
export const RECORDS = 'record';

function headsCall(id: string, query: Query): Call {
  return { api: 'signalbox', path: path`/key-value-stores/${id}/keys`, query };
}

/** A row of the list: a record, or several keys that begin alike. */
export interface KeyRow {
  /** The key, or what the keys begin with. */
  name: string;
  record?: RecordHead | undefined;
}

/** All keys that begin with the prefix; with a delimiter only up to the next one, like folders. */
export function useKeyRows(id: string, prefix: string, delimiter: string | undefined) {
  const list = usePages<RecordHead | KeyGroup>(
    {
      call:
        delimiter === undefined
          ? headsCall(id, { prefix, limit: PAGE })
          : {
              api: 'signalbox',
              path: path`/key-value-stores/${id}/key-groups`,
              query: { delimiter, prefix, limit: PAGE },
            },
      topics: [RECORDS, 'key-value-store'],
    },
    { keepsPrevious: true },
  );
  const rows = list.data?.pages.flatMap(({ items }) => items.map(rowOf)) ?? [];
  return { ...list, rows };
}

function rowOf(item: RecordHead | KeyGroup): KeyRow {
  if ('key' in item) return { name: item.key, record: item };
  return { name: item.prefix ?? item.record!.key, record: item.record };
}

/** As it is now; undefined where there is none. The key itself is the first that begins with it. */
export async function findHead(id: string, key: string): Promise<RecordHead | undefined> {
  const { body } = await send<CursorPage<RecordHead>>(headsCall(id, { prefix: key, limit: 1 }));
  return body.items.find((one) => one.key === key);
}

export function useRecordHead(id: string, key: string) {
  const call = headsCall(id, { prefix: key, limit: 1 });
  return useQuery<RecordHead | null, ApiError>({
    queryKey: [...keyOf(call), 'one'],
    queryFn: async () => (await findHead(id, key)) ?? null,
    meta: { topics: [RECORDS, 'key-value-store'] },
  });
}

export function recordCall(id: string, key: string, query: Query = {}): Call {
  return { api: 'actors', path: path`/key-value-stores/${id}/records/${key}`, query };
}

/** All whose keys begin so, as a ZIP archive. */
export function archiveCall(id: string, prefix: string): Call {
  return { api: 'actors', path: path`/key-value-stores/${id}/records`, query: { prefix } };
}

export function deleteRecordCall(id: string, key: string): Call {
  return { ...recordCall(id, key), method: 'DELETE' };
}

/** With an ETag only while the record still has it. */
export function writeRecordCall(id: string, key: string, contentType: string, etag?: string): Call {
  return {
    ...recordCall(id, key),
    method: 'PUT',
    contentType,
    ...(etag !== undefined && { headers: { 'if-match': `"${etag}"` } }),
  };
}

export type RecordKind = 'image' | 'media' | 'json' | 'html' | 'pdf' | 'text' | 'bytes';

export function kindOf(contentType: string): RecordKind {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  const plain = type.trim();
  if (plain.startsWith('image/')) return 'image';
  if (plain.startsWith('audio/') || plain.startsWith('video/')) return 'media';
  if (plain === 'application/json' || plain.endsWith('+json')) return 'json';
  if (plain === 'text/html' || plain === 'application/xhtml+xml') return 'html';
  if (plain === 'application/pdf') return 'pdf';
  const isText =
    plain.startsWith('text/') ||
    plain.endsWith('+xml') ||
    /^application\/(?:xml|javascript|x-ndjson|yaml|x-yaml|toml|sql|x-sh)$/.test(plain);
  return isText ? 'text' : 'bytes';
}

/** Larger texts are shown in part, and cannot be edited here. */
const MOST_EDITED = 512 * 1024;
const MOST_BYTES = 4096;

export interface RecordContent {
  bytes: Uint8Array<ArrayBuffer>;
  isWhole: boolean;
}

/** The beginning of what is large. */
export function useRecordContent(id: string, head: RecordHead) {
  const { key, size, etag } = head;
  const most = kindOf(head.contentType) === 'bytes' ? MOST_BYTES : MOST_EDITED;
  const isPart = size > most;
  const call: Call = {
    ...recordCall(id, key),
    ...(isPart && { headers: { range: `bytes=0-${most - 1}` } }),
  };
  return useQuery<RecordContent, ApiError>({
    queryKey: [...keyOf(call), etag],
    queryFn: async ({ signal }) => {
      const { bytes } = await readBytes(call, signal);
      return { bytes: bytes.subarray(0, most), isWhole: !isPart && bytes.length <= most };
    },
    staleTime: Infinity,
  });
}

const KEY = /^[a-zA-Z0-9!\-_.'()]{1,256}$/;

export function isRecordKey(text: string): boolean {
  return KEY.test(text);
}

/** The name of a file as a key. */
export function keyOfFile(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9!\-_.'()]+/g, '-').slice(-256);
}
