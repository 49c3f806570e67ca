// The protocol of mobile SDKs, for which there is no npm package: a plain client polls, streams and sends events.
import assert from 'node:assert/strict';
import { inBase64 } from '../conformance/flags/delivery/keys-calls.ts';
import { EventReader, type StreamInit } from '../event-stream.ts';
import { eventually, inTime } from '../eventually.ts';
import type { Json } from '../server.ts';
import { ADA, testFlagSdk, type SdkClient, type SdkServer } from './flag-sdk-suite.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** What differs between the ways to get results. */
interface MobileWay {
  poll: [path: string, init: StreamInit];
  stream: [path: string, init: StreamInit];
}

const inPath: MobileWay = {
  poll: [`/msdk/evalx/contexts/${inBase64(ADA)}?withReasons=true`, {}],
  stream: [`/meval/${inBase64(ADA)}?withReasons=true`, {}],
};
const report = { method: 'REPORT', headers: JSON_TYPE, body: JSON.stringify(ADA) };
const inBody: MobileWay = {
  poll: ['/msdk/evalx/context?withReasons=true', report],
  stream: ['/meval?withReasons=true', report],
};
const byPing: MobileWay = { ...inPath, stream: ['/mping', {}] };

async function open({ url, keys }: SdkServer, { poll, stream }: MobileWay): Promise<SdkClient> {
  const authorization = { authorization: keys.mobile };
  const changed: string[] = [];
  let results: Json = {};
  let isClosed = false;

  const read = async () => {
    const [path, init] = poll;
    const reply = await fetch(url + path, { ...init, headers: { ...init.headers, ...authorization } });
    assert.equal(reply.status, 200, await reply.clone().text());
    return (await reply.json()) as Json;
  };
  /** As SDKs do: a version that is not higher is older news. */
  const apply = ({ key, ...result }: Json, isDeleted: boolean) => {
    if (result['version'] <= (results[key]?.version ?? 0)) return;
    results[key] = isDeleted ? { version: result['version'] } : result;
    changed.push(key as string);
  };
  const follow = async (reader: EventReader) => {
    for (;;) {
      const { event, data } = await reader.next();
      if (event === 'put') results = data as Json;
      else if (event === 'ping') replace(await read());
      else apply(data as Json, event === 'delete');
    }
  };
  const replace = (next: Json) => {
    for (const key of new Set([...Object.keys(results), ...Object.keys(next)])) {
      if (JSON.stringify(results[key]?.value) !== JSON.stringify(next[key]?.value)) changed.push(key);
    }
    results = next;
  };
  let reader: EventReader | undefined;
  const goOn = async () => {
    while (!isClosed) {
      const [path, init] = stream;
      reader = await EventReader.open(url + path, {
        ...init,
        headers: { ...init.headers, ...authorization },
      }).catch(() => undefined);
      if (reader?.status === 200) await follow(reader).catch(() => {});
      reader?.close();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  results = await read();
  const streaming = goOn();
  await eventually(() => reader !== undefined && reader.events.length > 0, 'the first event');
  const post = async (path: string, body: unknown) => {
    const headers = { ...JSON_TYPE, ...authorization };
    const { status } = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(status, 202);
  };
  return {
    value: async (key, fallback) => (results[key]?.value ?? fallback) as unknown,
    async detail(key, fallback) {
      const found = results[key] as Json | undefined;
      if (found === undefined)
        return { value: fallback, reason: { kind: 'ERROR', errorKind: 'FLAG_NOT_FOUND' } };
      return { ...found, variationIndex: found['variation'] };
    },
    changed: async () => changed,
    warnings: async () => [],
    async flush() {
      await post('/mobile/events/bulk', [{ kind: 'identify', creationDate: 1, context: ADA }]);
      await post('/mobile/events/diagnostic', {
        kind: 'diagnostic',
        creationDate: 1,
        id: { diagnosticId: 'x' },
      });
    },
    async close() {
      isClosed = true;
      reader?.close();
      await inTime(streaming, 'the end of the client');
    },
  };
}

const events = { events: 'postMobileEventsBulk', diagnostics: 'postMobileDiagnostics' };

testFlagSdk({
  name: 'a mobile app',
  isMobile: true,
  calls: { ...events, stream: 'streamMobileFor', others: ['evaluateMobileForContext'] },
  open: (server) => open(server, inPath),
});

testFlagSdk({
  name: 'a mobile app with the context in the body',
  isMobile: true,
  calls: { ...events, stream: 'streamMobileForBody', others: ['evaluateMobileForContextInBody'] },
  open: (server) => open(server, inBody),
});

testFlagSdk({
  name: 'a mobile app that polls when it is told to',
  isMobile: true,
  calls: { ...events, stream: 'streamMobilePings', others: ['evaluateMobileForContext'] },
  open: (server) => open(server, byPing),
});
