// Answers requests for streams, which are not supported yet: callers with a valid key get 503, and may poll instead.
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, type Call, type Reply, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { FlagsError } from '../failures.ts';
import { openByClientId, openByMobileKey, openBySdkKey } from './keys.ts';

const RETRY_SECONDS = 30;

const ContextInPath = Type.Object({ context: Type.String() });
const ById = Type.Object({ environmentId: Type.String() });
const ByIdAndContext = Type.Object({ ...ById.properties, ...ContextInPath.properties });

const stream = { access: 'anyone', streams: true, isData: true, reply: { 503: FlagsError } } as const;

type Opened = Pick<Call, 'id' | 'headers' | 'now'>;

async function refuse({ id }: Opened, opened: Promise<unknown>, headers = {}): Promise<Reply> {
  await opened;
  const message = 'Flags are not streamed yet. Set the SDK to poll.';
  return reply(
    503,
    { code: 'service_unavailable', message, id },
    { 'retry-after': String(RETRY_SECONDS), ...headers },
  );
}

const forServers = (id: string) =>
  route(
    { ...stream, id, method: 'GET', path: '/', summary: 'Stream flags to servers' },
    (call, { db }: Kernel) => refuse(call, openBySdkKey(db, call)),
  );

const byId = { ...stream, summary: 'Stream results to browsers', params: ById } as const;
const byKey = { ...stream, summary: 'Stream results to mobile apps' } as const;

/** The header makes SDKs of the newer protocol fall back to polling with the older one. */
const FALL_BACK = { 'x-ld-fd-fallback': 'true' };

const forNewerServers = (['poll', 'stream'] as const).map((way) =>
  route(
    { ...stream, id: `${way}Changes`, method: 'GET', path: `/${way}`, summary: 'Get changes of flags' },
    (call, { db }) => refuse(call, openBySdkKey(db, call), FALL_BACK),
  ),
);

/** Routes by prefix. */
export const streamRoutes: Readonly<Record<string, readonly Route[]>> = {
  '/all': [forServers('streamAll')],
  '/flags': [forServers('streamFlags')],
  '/eval': [
    route(
      { ...byId, id: 'streamFor', method: 'GET', path: '/{environmentId}/{context}', params: ByIdAndContext },
      (call, { db }) => refuse(call, openByClientId(db, call.params.environmentId, call.now)),
    ),
    route({ ...byId, id: 'streamForBody', method: 'REPORT', path: '/{environmentId}' }, (call, { db }) =>
      refuse(call, openByClientId(db, call.params.environmentId, call.now)),
    ),
  ],
  '/ping': [
    route({ ...byId, id: 'streamPings', method: 'GET', path: '/{environmentId}' }, (call, { db }) =>
      refuse(call, openByClientId(db, call.params.environmentId, call.now)),
    ),
  ],
  '/meval': [
    route(
      { ...byKey, id: 'streamMobileFor', method: 'GET', path: '/{context}', params: ContextInPath },
      (call, { db }) => refuse(call, openByMobileKey(db, call)),
    ),
    route({ ...byKey, id: 'streamMobileForBody', method: 'REPORT', path: '/' }, (call, { db }) =>
      refuse(call, openByMobileKey(db, call)),
    ),
  ],
  '/mping': [
    route({ ...byKey, id: 'streamMobilePings', method: 'GET', path: '/' }, (call, { db }) =>
      refuse(call, openByMobileKey(db, call)),
    ),
  ],
  '/sdk': forNewerServers,
};
