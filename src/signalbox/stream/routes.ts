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
      'Server-sent events: `change` for each change that the activity shows to the caller, `run` and `build` where the status of ' +
      "one of the caller's runs or builds changes, and first `begin`. Send the `id` of the last event in the header " +
      '`Last-Event-ID` to go on from there: what changed meanwhile is sent, some of it perhaps again. Where `begin` says ' +
      '`"isResumed": false`, too much was missed, and everything is to be read anew; runs and builds are to be read anew always.',
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
