// Calls for tests of imports and exports of big segments.
import assert from 'node:assert/strict';
import { eventually } from '../../../eventually.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { segmentCalls } from './calls.ts';

/** A form as sent, with its content type. */
export async function toForm(
  file: string | Uint8Array<ArrayBuffer> | undefined,
  fields: Record<string, string> = {},
): Promise<CallInit> {
  const form = new FormData();
  if (file !== undefined) form.set('file', new Blob([file]), 'keys.csv');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const whole = new Response(form);
  return {
    method: 'POST',
    headers: { 'content-type': whole.headers.get('content-type')! },
    body: new Uint8Array(await whole.arrayBuffer()),
  };
}

/** The server may be started later. */
export function fileCalls(server: () => TestServer) {
  const calls = segmentCalls(server);
  const { call, at } = calls;
  return {
    ...calls,
    async send(
      key: string,
      file: string | Uint8Array<ArrayBuffer> | undefined,
      fields?: Record<string, string>,
      init?: CallInit,
    ): Promise<Answer> {
      return await call(`${at(key)}/imports`, { ...(await toForm(file, fields)), ...init });
    },
    startExport: (key: string, init?: CallInit) => call(`${at(key)}/exports`, { method: 'POST', ...init }),
    /** Whether each member of a segment is included or excluded, by key. */
    async members(key: string): Promise<Record<string, 'included' | 'excluded'>> {
      const { db } = server().app.kernel;
      const { json } = await call(at(key));
      const { segmentId, includedCount, excludedCount } = json['_unboundedMetadata'] as Json;
      const rows = await db
        .selectFrom('segment_members')
        .selectAll()
        .where('segment_id', '=', segmentId as string)
        .orderBy('context_key')
        .execute();
      const included = rows.filter(({ is_included }) => is_included === 1).length;
      assert.deepEqual(
        [includedCount, excludedCount],
        [included, rows.length - included],
        'the counts are right',
      );
      return Object.fromEntries(
        rows.map(({ context_key, is_included }) => [
          context_key,
          is_included === 1 ? 'included' : 'excluded',
        ]),
      );
    },
    /** The remaining files, and the due work on them. */
    async leftovers(): Promise<string[]> {
      const { db, blobs } = server().app.kernel;
      const files = await Array.fromAsync(blobs.list('segment-'), ({ key }) => key);
      const work = await db
        .selectFrom('due')
        .select('id')
        .where('kind', 'like', 'flags.segment-%port%')
        .execute();
      return [...files, ...work.map(({ id }) => id)];
    },
  };
}

/** Waits until an import or export is over, and returns it. */
export async function outcomeOf(server: TestServer, started: Answer): Promise<Json> {
  assert.ok(started.status === 200 || started.status === 204, started.text);
  const location = started.headers.get('location')!;
  let shown: Json = {};
  await eventually(async () => {
    shown = (await server.call(location)).json;
    return shown['status'] === 'complete' || shown['status'] === 'stopped';
  });
  return shown;
}
