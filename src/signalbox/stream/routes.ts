// The stream of changes, as server-sent events.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';

const streamChanges = route(
  {
    id: 'streamChanges',
    method: 'GET',
    path: '/stream',
    summary: 'Follow the changes of all APIs',
    description:
      'Server-sent events: `change` for each change that the activity shows to the caller, and first `begin`. Small notices ' +
      "say of what is in no activity that it is to be read anew: `run` and `build` where the status of one of the caller's " +
      'runs or builds changes, `delivery` where a delivery of a webhook that the caller may see was attempted or is to be ' +
      'sent again, and `token-used` for the first use of a token that they may view. Send the `id` of the last event in the ' +
      'header `Last-Event-ID` to go on from there: what changed meanwhile is sent, some of it perhaps again. Where `begin` ' +
      'says `"isResumed": false`, too much was missed, and everything is to be read anew; what notices are about is to be ' +
      'read anew always.',
    access: 'caller',
    produces: 'text/event-stream',
    reply: { 200: Type.String() },
  },
  ({ caller, headers }, kernel) => {
    const lastId = headers['last-event-id'];
    return kernel.services.changeStreams.open(
      kernel,
      caller,
      typeof lastId === 'string' ? lastId : undefined,
    );
  },
);

export const changeStreamRoutes = [streamChanges];
