// Routes by which SDKs send events and diagnostics.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, reply, route, type Call, type Reply, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { EventSender } from '../events/payload.ts';
import { receiveDiagnostic, receiveEvents, receiveQuery } from '../events/receive.ts';
import type { Environment } from '../projects/project.ts';
import { openByClientId, openByMobileKey, openBySdkKey, type OpenedFeed } from './keys.ts';

const post = {
  method: 'POST',
  access: 'anyone',
  streams: true,
  isData: true,
  reply: { 202: null },
} as const;

type EventCall = Pick<Call, 'headers' | 'now' | 'stream'>;
type Receive = (
  call: EventCall,
  kernel: Kernel,
  environment: Environment,
  sender: EventSender,
) => Promise<void>;

interface Sent {
  summary: string;
  receive: Receive;
}

const EVENTS: Sent = { summary: 'Send events', receive: receiveEvents };
const DIAGNOSTICS: Sent = { summary: 'Send diagnostics of an SDK', receive: receiveDiagnostic };

async function accept(
  receive: Receive,
  call: EventCall,
  kernel: Kernel,
  sender: EventSender,
  opened: Environment | Promise<Environment>,
): Promise<Reply> {
  await receive(call, kernel, await opened, sender);
  return reply(202, undefined, { 'content-length': '0' });
}

async function environmentOf(opened: Promise<OpenedFeed>): Promise<Environment> {
  return (await opened).feed.environment;
}

const fromServers = (id: string, { receive, summary }: Sent) =>
  route({ ...post, id, path: '/', summary }, (call, kernel) =>
    accept(receive, call, kernel, 'server', environmentOf(openBySdkKey(kernel, call))),
  );

const fromMobile = (id: string, path: string, { receive, summary }: Sent) =>
  route({ ...post, id, path, summary }, (call, kernel) =>
    accept(receive, call, kernel, 'mobile', environmentOf(openByMobileKey(kernel, call))),
  );

const fromBrowsers = (id: string, { receive, summary }: Sent) =>
  route(
    {
      ...post,
      id,
      path: '/{environmentId}',
      summary,
      params: Type.Object({ environmentId: Type.String() }),
    },
    (call, kernel) => {
      const { environmentId } = call.params;
      return accept(
        receive,
        call,
        kernel,
        'browser',
        environmentOf(openByClientId(kernel, environmentId, call)),
      );
    },
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
    query: Type.Object({ d: Type.Optional(Type.String({ description: 'Events: JSON in Base64' })) }),
    reply: { 200: Type.String() },
    produces: 'image/gif',
  },
  async (call, kernel) => {
    const [, id] = /^(.+)\.gif$/.exec(call.params.image) ?? [];
    if (id === undefined) throw new Failure('not-found', 'There is no such image.');
    const environment = await environmentOf(openByClientId(kernel, id, call));
    await receiveQuery(call, kernel, environment, call.query.d ?? '');
    return new Bytes(PIXEL, { 'content-type': 'image/gif', 'cache-control': 'no-store' });
  },
);

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
