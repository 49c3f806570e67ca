// Routes that server-side SDKs poll: whole flags and segments, which they evaluate themselves.
import { Failure } from '../../kernel/failure.ts';
import { Bytes, JsonText, reply, route, type Call } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Environment } from '../projects/project.ts';
import type { Feed } from './feed/feed.ts';
import { openBySdkKey, type OpenedFeed } from './keys.ts';
import { checkFilter, PayloadFilter } from './sdk-request.ts';

const Item = Type.Record(Type.String(), Type.Unknown());

const read = { method: 'GET', access: 'anyone', reply: { 200: Item } } as const;
const readOne = { ...read, params: Type.Object({ key: Type.String() }) } as const;

const Filter = Type.Object(PayloadFilter);

const getAll = route(
  { ...read, id: 'getLatestAll', path: '/latest-all', summary: 'Get all flags and segments', query: Filter },
  async (call, kernel) => {
    const { feed } = await open(call, kernel);
    return new Bytes((await feed.payload()).all, headersOf(feed));
  },
);

const getLatestFlags = route(
  { ...read, id: 'getLatestFlags', path: '/latest-flags', summary: 'Get all flags', query: Filter },
  async (call, kernel) => {
    const { feed } = await open(call, kernel);
    return new Bytes((await feed.payload()).flags, headersOf(feed));
  },
);

const getFlags = route(
  { ...read, id: 'getFlags', path: '/flags', summary: 'Get all flags, for SDKs that run for one page view' },
  async (call, kernel) => {
    const { feed } = await open(call, kernel);
    return new Bytes((await feed.payload()).flags, cacheHeaders(feed.environment, call));
  },
);

const getFlag = route(
  { ...readOne, id: 'getFlag', path: '/flags/{key}', summary: 'Get a flag' },
  (call, kernel) => showOne(call, kernel, 'flags'),
);

const getSegment = route(
  { ...readOne, id: 'getSegment', path: '/segments/{key}', summary: 'Get a segment' },
  (call, kernel) => showOne(call, kernel, 'segments'),
);

export const serverRoutes = [getAll, getLatestFlags, getFlags, getFlag, getSegment];

type DeliveryCall = Pick<Call, 'headers' | 'now'>;

async function open(
  call: DeliveryCall & { query?: { filter?: string } },
  kernel: Kernel,
): Promise<OpenedFeed> {
  const opened = await openBySdkKey(kernel, call);
  checkFilter(call.query);
  return opened;
}

function headersOf({ environment: { clientId }, etag }: Feed): Record<string, string> {
  return { etag, 'x-ld-envid': clientId };
}

async function showOne(
  call: DeliveryCall & { params: { key: string } },
  kernel: Kernel,
  kind: 'flags' | 'segments',
) {
  const { feed } = await open(call, kernel);
  const item = feed[kind].get(call.params.key);
  if (item === undefined) throw new Failure('not-found', `There is no such thing in ${kind}.`);
  return reply(200, new JsonText(item.json), cacheHeaders(feed.environment, call));
}

/** Cache headers for SDKs that run for one page view, such as PHP: how long they may reuse the response. */
function cacheHeaders({ clientId, defaultTtl }: Environment, { now }: DeliveryCall): Record<string, string> {
  const seconds = defaultTtl * 60;
  return {
    'x-ld-envid': clientId,
    ...(seconds > 0 && {
      'cache-control': `private, max-age=${seconds}`,
      expires: new Date(now + seconds * 1000).toUTCString(),
    }),
  };
}
