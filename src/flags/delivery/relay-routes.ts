// The routes of a Relay Proxy: a stream of the environments that it serves, with their keys, and what it asks for where an environment has big segments.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Feed } from './feed/feed.ts';
import { openBySdkKey, keyIn } from './keys.ts';
import type { StreamProtocol } from './live-stream.ts';
import { openStream } from './stream-routes.ts';

export const relayStreamRoutes = [
  route(
    {
      id: 'streamRelayAutoConfig',
      method: 'GET',
      path: '/',
      summary: 'Stream environments to a Relay Proxy',
      description: 'Opened by the key of a Relay Proxy configuration, whose policy says which environments.',
      access: 'anyone',
      isData: true,
      query: Type.Object({
        rpacProtocolVersion: Type.Optional(Type.String({ description: 'All versions get the same' })),
      }),
      reply: { 200: Type.String() },
      produces: 'text/event-stream',
    },
    (call, { services }) => services.relayStreams.open(keyIn(call.headers), call.now),
  ),
];

export const bigSegmentRoutes = [
  route(
    {
      id: 'getBigSegmentRevisions',
      method: 'GET',
      path: '/big-segments/revisions',
      summary: 'Get changes of big segments, for a Relay Proxy: there are none',
      access: 'anyone',
      query: Type.Object({ after: Type.Optional(Type.String({ description: 'The last version it has' })) }),
      reply: { 200: Type.Array(Type.Unknown()) },
    },
    async (call, kernel) => {
      requireNone((await openBySdkKey(kernel, call)).feed);
      return [];
    },
  ),
];

export const bigSegmentStreamRoutes = [
  route(
    {
      id: 'streamBigSegments',
      method: 'GET',
      path: '/',
      summary: 'Stream changes of big segments, for a Relay Proxy: there are none',
      access: 'anyone',
      isData: true,
      reply: { 200: Type.String() },
      produces: 'text/event-stream',
    },
    async (call, kernel) => {
      const opened = await openBySdkKey(kernel, call);
      requireNone(opened.feed);
      return openStream(call, kernel, opened, nothing, undefined);
    },
  ),
];

/** Heartbeats alone. */
const nothing: StreamProtocol<undefined> = { whole: async () => [], step: () => undefined };

/** An empty list would mean that nobody is in them: SDKs behind the Relay Proxy would take that for the truth. */
function requireNone({ bigSegments }: Feed): void {
  if (bigSegments.size === 0) return;
  throw new Failure(
    'invalid',
    'This environment has big segments, and their members are not given to Relay Proxies: let its SDKs connect to this ' +
      'server itself, or use segments that are not big.',
  );
}
