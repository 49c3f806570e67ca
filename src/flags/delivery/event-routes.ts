// Receives events and diagnostics of SDKs, and discards them, because nothing counts them yet.
import { piecesOf } from '../../kernel/body.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, reply, route, type Call, type Reply, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { openByClientId, openByMobileKey, openBySdkKey } from './keys.ts';

/** The limit for the body as sent, compressed or not. SDKs drop events that are refused as too large. */
const MAX_EVENT_BYTES = 10 * 1024 * 1024;

const event = {
  method: 'POST',
  access: 'anyone',
  streams: true,
  isData: true,
  reply: { 202: null },
} as const;

async function discard({ stream }: Pick<Call, 'stream'>, opened: Promise<unknown>): Promise<Reply> {
  await opened;
  for await (const _ of piecesOf(stream, MAX_EVENT_BYTES));
  return reply(202);
}

const fromServers = (id: string, summary: string) =>
  route({ ...event, id, path: '/', summary }, (call, { db }: Kernel) =>
    discard(call, openBySdkKey(db, call)),
  );

const fromMobile = (id: string, path: string, summary: string) =>
  route({ ...event, id, path, summary }, (call, { db }: Kernel) => discard(call, openByMobileKey(db, call)));

const fromBrowsers = (id: string, summary: string) =>
  route(
    {
      ...event,
      id,
      path: '/{environmentId}',
      summary,
      params: Type.Object({ environmentId: Type.String() }),
    },
    (call, { db }: Kernel) => discard(call, openByClientId(db, call.params.environmentId, call.now)),
  );

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** For browsers that can only request images: the events are in the query string. */
const getPixel = route(
  {
    id: 'getEventPixel',
    method: 'GET',
    path: '/{image}',
    summary: 'Send events of a browser in the address of an image',
    access: 'anyone',
    params: Type.Object({ image: Type.String() }),
    reply: { 200: Type.String() },
    produces: 'image/gif',
  },
  async ({ params: { image }, now }, { db }) => {
    const [, id] = /^(.+)\.gif$/.exec(image) ?? [];
    if (id === undefined) throw new Failure('not-found', 'There is no such image.');
    await openByClientId(db, id, now);
    return new Bytes(PIXEL, { 'content-type': 'image/gif', 'cache-control': 'no-store' });
  },
);

const EVENTS = 'Send events';
const DIAGNOSTICS = 'Send diagnostics of an SDK';

/** Routes by prefix. */
export const eventRoutes: Readonly<Record<string, readonly Route[]>> = {
  '/bulk': [fromServers('postServerEvents', EVENTS)],
  '/diagnostic': [fromServers('postServerDiagnostics', DIAGNOSTICS)],
  '/mobile': [
    fromMobile('postMobileEvents', '/', EVENTS),
    fromMobile('postMobileEventsOld', '/events', EVENTS),
    fromMobile('postMobileEventsBulk', '/events/bulk', EVENTS),
    fromMobile('postMobileDiagnostics', '/events/diagnostic', DIAGNOSTICS),
  ],
  '/events/bulk': [fromBrowsers('postBrowserEvents', EVENTS)],
  '/events/diagnostic': [fromBrowsers('postBrowserDiagnostics', DIAGNOSTICS)],
  '/a': [getPixel],
};
