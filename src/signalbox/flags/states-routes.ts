// The states of flags, for lists: what each is doing in an environment.
import { couldBeKey } from '../../flags/fields.ts';
import { ByProject, openEnvironment } from '../../flags/find-project.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { readFlagStates } from './read-states.ts';
import { FlagStates, MAX_STATES } from './states-model.ts';

const listStates = route(
  {
    id: 'listFlagStates',
    method: 'GET',
    path: '/projects/{projectKey}/flag-states',
    summary: 'List the states of flags in an environment',
    description:
      'Of those of the flags that exist, in the order of the keys: their lifecycle, usage and what is coming.',
    access: { action: 'viewProject' },
    params: ByProject,
    query: Type.Object({
      environment: Type.String({ maxLength: 256, description: 'The key of the environment' }),
      key: Type.Array(Type.String({ maxLength: 256 }), {
        minItems: 1,
        maxItems: MAX_STATES,
        description: `Keys of flags. Repeatable, up to ${MAX_STATES}.`,
      }),
    }),
    reply: { 200: FlagStates },
  },
  async (call, { db }) => {
    const { projectKey } = call.params;
    const place = await openEnvironment(call, db, projectKey, call.query.environment);
    const keys = [...new Set(call.query.key)].filter(couldBeKey);
    return await readFlagStates(db, { ...place, keys, now: call.now });
  },
);

export const stateRoutes = [listStates];
