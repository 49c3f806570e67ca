// Routes that server-side SDKs poll: whole flags and segments, which they evaluate themselves.
import { Failure } from '../../kernel/failure.ts';
import { Bytes, reply, route, type Call } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Environment } from '../projects/project.ts';
import { readPayload, type EnvironmentPayload } from './payload-cache.ts';
import { openBySdkKey } from './keys.ts';

const Item = Type.Record(Type.String(), Type.Unknown());

const read = { method: 'GET', access: 'anyone', reply: { 200: Item } } as const;
const readOne = { ...read, params: Type.Object({ key: Type.String() }) } as const;

const getAll = route(
  { ...read, id: 'getLatestAll', path: '/latest-all', summary: 'Get all flags and segments' },
  async (call, kernel) => {
    const { environment, payload } = await open(call, kernel);
    const { bytes, etag } = payload;
    const headers = { etag, 'x-ld-envid': environment.clientId };
    return isNotModified(call, etag) ? reply(304, undefined, headers) : new Bytes(bytes, headers);
  },
);

const getFlags = route(
  { ...read, id: 'getFlags', path: '/flags', summary: 'Get all flags' },
  async (call, kernel) => {
    const { environment, payload } = await open(call, kernel);
    return reply(200, payload.flags, cacheHeaders(environment, call));
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

export const serverRoutes = [getAll, getFlags, getFlag, getSegment];

type DeliveryCall = Pick<Call, 'headers' | 'now'>;

async function open(
  call: DeliveryCall,
  kernel: Kernel,
): Promise<{ environment: Environment; payload: EnvironmentPayload }> {
  const environment = await openBySdkKey(kernel.db, call);
  return { environment, payload: await readPayload(kernel, environment) };
}

async function showOne(
  call: DeliveryCall & { params: { key: string } },
  kernel: Kernel,
  kind: 'flags' | 'segments',
) {
  const { environment, payload } = await open(call, kernel);
  const { key } = call.params;
  if (!Object.hasOwn(payload[kind], key))
    throw new Failure('not-found', `There is no such thing in ${kind}.`);
  return reply(200, payload[kind][key], cacheHeaders(environment, call));
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

function isNotModified({ headers }: DeliveryCall, etag: string): boolean {
  const tags = String(headers['if-none-match'] ?? '').split(',');
  return tags.some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
