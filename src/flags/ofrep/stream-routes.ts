// The event stream that says when flags have changed.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { AUDIENCES } from '../delivery/audience.ts';
import { changeProtocol, readEventRevision } from './change-protocol.ts';
import { openByStreamToken } from './stream-token.ts';

/** Below the prefix of the API. */
export const STREAM_PATH = '/v1/stream';

export const streamChanges = route(
  {
    id: 'streamFlagChanges',
    method: 'GET',
    path: STREAM_PATH,
    summary: 'Stream events when flags that the key may see have changed',
    access: 'anyone',
    isData: true,
    query: Type.Object({
      token: Type.Optional(Type.String({ description: 'From `eventStreams` of a bulk evaluation' })),
      since: Type.Optional(Type.String({ description: 'The revision that the client has' })),
    }),
    reply: { 200: Type.String() },
    produces: 'text/event-stream',
  },
  async ({ query, headers, now, address }, kernel) => {
    const { feed, kind, key, isAccepted } = await openByStreamToken(kernel, query.token ?? '', now);
    const {
      clock,
      services: { feeds, sdkStreams },
    } = kernel;
    const last = headers['last-event-id'];
    const seen = readEventRevision(last === undefined ? query.since : String(last)) ?? feed.revision;
    return sdkStreams.open({
      feed,
      protocol: changeProtocol,
      reader: { audience: AUDIENCES[kind], clock, feeds, seen },
      owner: { kind, key, address, weight: 1, isAccepted },
    });
  },
);
