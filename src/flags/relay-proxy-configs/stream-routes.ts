// The stream by which a Relay Proxy learns which environments it serves, with their keys.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { keyIn } from '../delivery/keys.ts';

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
