// Validates an input against the input schema of a build, without a run.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { Bytes, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { openActor } from '../actors/access.ts';
import { resolveBuild } from '../builds/access.ts';
import { isJson } from './input-json.ts';
import { prepareInput, withSentInput } from './prepare-input.ts';

const validateInput = route(
  {
    id: 'act_validateInput_post',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/actors/{actorId}/validate-input',
    summary: 'Validate an input against the input schema of the Actor',
    isData: true,
    access: { action: 'runActor' },
    params: Type.Object({
      actorId: Type.String({
        description: 'The id of the Actor, `username~name`, or `~name` for one of your own',
      }),
    }),
    query: Type.Object({
      build: Type.Optional(
        Type.String({ description: 'The tag or the number of a build; by default, that of new runs' }),
      ),
    }),
    consumes: () => ({ 'application/json': Type.Record(Type.String(), Type.Unknown()) }),
    streams: true,
    // As it is, in no envelope.
    produces: 'application/json',
    reply: { 200: Type.Object({ valid: Type.Literal(true) }) },
  },
  async (call, kernel) => {
    const actor = await openActor(kernel, call, call.params.actorId, 'runActor');
    const { inputSchema } = await resolveBuild(kernel.db, actor, call.query.build ?? actor.runOptions.build);
    const owner = { userId: accountOf(call.caller).id, actorId: actor.id };
    await withSentInput(kernel, call, async ({ body, contentType }) => {
      if (body !== undefined && !isJson(contentType ?? '')) throw wrongType(contentType);
      await prepareInput(kernel, { schema: inputSchema, body, contentType, owner });
    });
    return new Bytes(Buffer.from('{"valid":true}'), { 'content-type': 'application/json; charset=utf-8' });
  },
  async (call, kernel) => {
    const { can, caller, params } = call;
    await openActor(kernel, { can, caller: caller as KnownCaller }, params['actorId'] ?? '', 'runActor');
  },
);

function wrongType(contentType: string | undefined): Failure {
  return new Failure(
    'malformed',
    `The Content-Type must be application/json, not ${contentType ?? 'absent'}.`,
    {
      code: 'invalid-content-type-header',
    },
  );
}

export const inputRoutes = [validateInput];
