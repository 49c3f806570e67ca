// Streams of flags to servers, and of results to browsers and mobile apps, as server-sent events.
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call, type EventStream, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ContextBody } from '../contexts/model.ts';
import { readContext } from '../evaluation/context.ts';
import { evalProtocol, pingProtocol } from './client-protocol.ts';
import {
  BrowserQuery,
  openBrowser,
  openMobile,
  ResultsQuery,
  type OpenedClient,
  readContextPath,
  checkFilter,
  PayloadFilter,
} from './sdk-request.ts';
import { openByClientId, openByMobileKey, openBySdkKey, type OpenedFeed } from './keys.ts';
import type { StreamProtocol } from './live-stream.ts';
import type { FeedChange, FeedItemChange } from './feed/feed.ts';

const ContextInPath = { context: Type.String({ description: 'JSON in Base64' }) };
const ById = { environmentId: Type.String() };
const Filter = Type.Object(PayloadFilter);

const stream = {
  access: 'anyone',
  isData: true,
  reply: { 200: Type.String() },
  produces: 'text/event-stream',
} as const;

type StreamCall = Pick<Call, 'address'>;

/** The memory that a stream takes without a context, in characters of one. */
const CONTEXT_CHARACTERS = 4096;

/** The reply to a call for a stream: everything there is, and then every change. */
export function openStream<Reader>(
  { address }: StreamCall,
  { services }: Kernel,
  { feed, kind, key, isAccepted, reader: client }: OpenedFeed & Partial<OpenedClient>,
  protocol: StreamProtocol<Reader>,
  reader: Reader,
): EventStream {
  return services.sdkStreams.open({
    feed,
    protocol,
    reader,
    owner: { kind, key, address, weight: weightOf(client), ...(isAccepted && { isAccepted }) },
  });
}

/** A context stays in memory as long as its stream. */
function weightOf(client: OpenedClient['reader'] | undefined): number {
  if (client === undefined) return 1;
  return Math.ceil(JSON.stringify([...client.context.parts.values()]).length / CONTEXT_CHARACTERS);
}

const forServers = (id: string, summary: string, protocol: StreamProtocol<undefined>) =>
  route({ ...stream, id, method: 'GET', path: '/', summary, query: Filter }, async (call, kernel) => {
    const opened = await openBySdkKey(kernel, call);
    checkFilter(call.query);
    return openStream(call, kernel, opened, protocol, undefined);
  });

const forBrowsers = { ...stream, summary: 'Stream results to browsers', query: BrowserQuery } as const;
const forMobile = { ...stream, summary: 'Stream results to mobile apps', query: ResultsQuery } as const;

/** `/all`: flags and segments. */
const allProtocol: StreamProtocol<undefined> = {
  async whole(feed) {
    const { all } = await feed.payload();
    return ['event: put\ndata: {"path":"/","data":', all, '}\n\n'];
  },
  step: (_feed, { flags, segments }) =>
    toEvents([
      // Segments first: the flags that use them follow.
      ...segments.map((change) => itemEvent(`/segments/${change.key}`, change)),
      ...flags.map((change) => itemEvent(`/flags/${change.key}`, change)),
    ]),
};

/** `/flags`: flags only, for old SDKs. */
const flagsProtocol: StreamProtocol<undefined> = {
  async whole(feed) {
    const { flags } = await feed.payload();
    return ['event: put\ndata: ', flags, '\n\n'];
  },
  step: (_feed, { flags }: FeedChange) =>
    toEvents(flags.map((change) => itemEvent(`/${change.key}`, change))),
};

function itemEvent(path: string, { after, version }: FeedItemChange<{ json: string }>): string {
  return after === undefined
    ? `event: delete\ndata: ${JSON.stringify({ path, version })}\n\n`
    : `event: patch\ndata: {"path":${JSON.stringify(path)},"data":${after.json}}\n\n`;
}

/** The same bytes for all streams. */
function toEvents(events: readonly string[]): (() => Uint8Array) | undefined {
  if (events.length === 0) return undefined;
  const bytes = Buffer.from(events.join(''));
  return () => bytes;
}

/** Routes by prefix. */
export const streamRoutes: Readonly<Record<string, readonly Route[]>> = {
  '/all': [forServers('streamAll', 'Stream flags and segments to servers', allProtocol)],
  '/flags': [forServers('streamFlags', 'Stream flags to servers', flagsProtocol)],
  '/eval': [
    route(
      {
        ...forBrowsers,
        id: 'streamFor',
        method: 'GET',
        path: '/{environmentId}/{context}',
        params: Type.Object({ ...ById, ...ContextInPath }),
      },
      async (call, kernel) => {
        const client = await openBrowser(call, kernel, () => readContextPath(call.params.context));
        return openStream(call, kernel, client, evalProtocol, client.reader);
      },
    ),
    route(
      {
        ...forBrowsers,
        id: 'streamForBody',
        method: 'REPORT',
        path: '/{environmentId}',
        params: Type.Object(ById),
        body: ContextBody,
      },
      async (call, kernel) => {
        const client = await openBrowser(call, kernel, () => readContext(call.body));
        return openStream(call, kernel, client, evalProtocol, client.reader);
      },
    ),
  ],
  '/ping': [
    route(
      {
        ...stream,
        id: 'streamPings',
        method: 'GET',
        path: '/{environmentId}',
        summary: 'Stream a ping to browsers when results may have changed',
        params: Type.Object(ById),
        query: Filter,
      },
      async (call, kernel) => {
        const opened = await openByClientId(kernel, call.params.environmentId, call);
        checkFilter(call.query);
        return openStream(call, kernel, opened, pingProtocol, { audience: 'usingEnvironmentId' });
      },
    ),
  ],
  '/meval': [
    route(
      {
        ...forMobile,
        id: 'streamMobileFor',
        method: 'GET',
        path: '/{context}',
        params: Type.Object(ContextInPath),
      },
      async (call, kernel) => {
        const client = await openMobile(call, kernel, () => readContextPath(call.params.context));
        return openStream(call, kernel, client, evalProtocol, client.reader);
      },
    ),
    route(
      { ...forMobile, id: 'streamMobileForBody', method: 'REPORT', path: '/', body: ContextBody },
      async (call, kernel) => {
        const client = await openMobile(call, kernel, () => readContext(call.body));
        return openStream(call, kernel, client, evalProtocol, client.reader);
      },
    ),
  ],
  '/mping': [
    route(
      {
        ...stream,
        id: 'streamMobilePings',
        method: 'GET',
        path: '/',
        summary: 'Stream a ping to mobile apps when results may have changed',
        query: Filter,
      },
      async (call, kernel) => {
        const opened = await openByMobileKey(kernel, call);
        checkFilter(call.query);
        return openStream(call, kernel, opened, pingProtocol, { audience: 'usingMobileKey' });
      },
    ),
  ],
};
