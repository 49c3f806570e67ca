// The routes of the newer delivery protocol: polls and streams that go on from what the SDK already has.
import type { Kernel } from '../../../kernel/kernel.ts';
import { Bytes, route, type Call, type EventStream } from '../../../kernel/http/route.ts';
import { Type } from '../../../kernel/schema/schema.ts';
import { ContextBody } from '../../contexts/model.ts';
import { readContext, type Context } from '../../evaluation/context.ts';
import {
  BrowserQuery,
  openBrowserOrMobile,
  type OpenedClient,
  readContextPath,
  checkFilter,
  PayloadFilter,
} from '../sdk-request.ts';
import type { Feed } from '../feed/feed.ts';
import { openBySdkKey, type OpenedFeed } from '../keys.ts';
import { openStream } from '../stream-routes.ts';
import {
  clientPayloadId,
  clientTransferProtocol,
  readClientTransfer,
  type ClientTransferReader,
  readServerTransfer,
  serverTransferProtocol,
  type TransferReader,
} from './transfer-protocols.ts';
import { POLL_EVENTS, readBasis, writeTransfer, type Basis, type Transfer } from './transfer.ts';

const InBasis = {
  basis: Type.Optional(Type.String({ description: 'The state that the last transfer ended with' })),
};
const ServerQuery = Type.Object({ ...InBasis, ...PayloadFilter });
const ClientQuery = Type.Object({
  ...InBasis,
  ...BrowserQuery.properties,
  auth: Type.Optional(
    Type.String({ description: 'A client-side ID; otherwise the header has a mobile key' }),
  ),
});

const poll = {
  access: 'anyone',
  isData: true,
  reply: { 200: Type.Object({ events: Type.Array(Type.Unknown()) }) },
} as const;
const stream = {
  access: 'anyone',
  isData: true,
  reply: { 200: Type.String() },
  produces: 'text/event-stream',
} as const;
const inPath = {
  method: 'GET',
  query: ClientQuery,
  params: Type.Object({ context: Type.String({ description: 'JSON in Base64' }) }),
} as const;
const inBody = { method: 'POST', worksOnFullDisk: true, query: ClientQuery, body: ContextBody } as const;

const pollForServers = route(
  {
    ...poll,
    id: 'pollTransfer',
    method: 'GET',
    path: '/poll',
    summary: 'Get the flags and segments that a server does not have yet',
    query: ServerQuery,
  },
  async (call, kernel) => {
    const { opened, reader } = await openForServer(call, kernel);
    const transfer = await readServerTransfer(opened.feed, reader, reader.basis);
    return await toReply(opened.feed, transfer);
  },
);

const streamForServers = route(
  {
    ...stream,
    id: 'streamTransfers',
    method: 'GET',
    path: '/stream',
    summary: 'Stream the flags and segments that a server does not have yet',
    query: ServerQuery,
  },
  async (call, kernel) => {
    const { opened, reader } = await openForServer(call, kernel);
    return openStream(call, kernel, opened, serverTransferProtocol, reader);
  },
);

const pollResults = {
  ...poll,
  summary: 'Get the results that a browser or mobile app does not have yet',
} as const;
const streamResults = {
  ...stream,
  summary: 'Stream the results that a browser or mobile app does not have yet',
} as const;

export const transferRoutes = [
  pollForServers,
  streamForServers,
  route(
    { ...pollResults, ...inPath, id: 'pollResults', path: '/poll/eval/{context}' },
    async (call, kernel) => pollClient(call, kernel, () => readContextPath(call.params.context)),
  ),
  route({ ...pollResults, ...inBody, id: 'pollResultsForBody', path: '/poll/eval' }, async (call, kernel) =>
    pollClient(call, kernel, () => readContext(call.body)),
  ),
  route(
    { ...streamResults, ...inPath, id: 'streamResults', path: '/stream/eval/{context}' },
    async (call, kernel) => streamClient(call, kernel, () => readContextPath(call.params.context)),
  ),
  route(
    { ...streamResults, ...inBody, id: 'streamResultsForBody', path: '/stream/eval' },
    async (call, kernel) => streamClient(call, kernel, () => readContext(call.body)),
  ),
];

async function openForServer(
  call: Pick<Call, 'headers' | 'now'> & { query: { basis?: string; filter?: string } },
  kernel: Kernel,
): Promise<{ opened: OpenedFeed; reader: TransferReader }> {
  const opened = await openBySdkKey(kernel, call);
  checkFilter(call.query);
  const payloadId = opened.feed.environment.id;
  const basis = await openBasis(kernel, opened.feed, payloadId, call.query.basis);
  return { opened, reader: { payloadId, basis, db: kernel.db } };
}

type ClientCall = Parameters<typeof openBrowserOrMobile>[0] & {
  query: { basis?: string };
  address: string;
};

async function openForClient(
  call: ClientCall,
  kernel: Kernel,
  readContextOf: () => Context,
): Promise<{ opened: OpenedClient; reader: ClientTransferReader }> {
  const opened = await openBrowserOrMobile(call, kernel, readContextOf);
  const payloadId = clientPayloadId(opened.feed, opened.reader);
  const basis = await openBasis(kernel, opened.feed, payloadId, call.query.basis);
  return { opened, reader: { ...opened.reader, payloadId, basis } };
}

async function pollClient(call: ClientCall, kernel: Kernel, readContextOf: () => Context): Promise<Bytes> {
  const { opened, reader } = await openForClient(call, kernel, readContextOf);
  const transfer = await readClientTransfer(opened.feed, reader, reader.basis);
  return await toReply(opened.feed, transfer);
}

async function streamClient(
  call: ClientCall,
  kernel: Kernel,
  readContextOf: () => Context,
): Promise<EventStream> {
  const { opened, reader } = await openForClient(call, kernel, readContextOf);
  return openStream(call, kernel, opened, clientTransferProtocol, reader);
}

/** A basis that this node does not know may be one of another node, or of a database that was lost. */
async function openBasis(
  { services: { feeds } }: Kernel,
  feed: Feed,
  payloadId: string,
  state: string | undefined,
): Promise<Basis> {
  const basis = readBasis(state, payloadId);
  return 'reason' in basis || (await feeds.reach(feed, basis.revision)) ? basis : { reason: 'cant-catchup' };
}

/**
 * Without an ETag, because SDKs would hold each reply, with all its flags, by its URL. For the same reason there is no 304
 * where nothing has changed: after an error, SDKs count as connected again only when they get events.
 */
async function toReply({ environment: { clientId } }: Feed, transfer: Transfer): Promise<Bytes> {
  const chunks = await writeTransfer(transfer, POLL_EVENTS);
  const bytes = Buffer.concat(
    chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
  );
  return new Bytes(bytes, { 'x-ld-envid': clientId });
}
