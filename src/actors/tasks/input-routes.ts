// The saved input of a task, without an envelope.
import { Failure } from '../../kernel/failure.ts';
import { Bytes, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { isJson } from '../input/prepare-input.ts';
import { withSentInput } from '../input/read-body.ts';
import { ByTask, openTask, taskNotFound } from './access.ts';
import { changeTaskInput } from './change-task.ts';
import { findTaskInput } from './store.ts';

const Input = Type.Record(Type.String(), Type.Unknown());
const BARE = { params: ByTask, produces: 'application/json', reply: { 200: Input } } as const;

const get = route(
  {
    ...BARE,
    id: 'actorTask_input_get',
    method: 'GET',
    path: '/actor-tasks/{actorTaskId}/input',
    summary: 'Get the input of a task',
    access: { action: 'viewTask', ofOwner: true },
  },
  async (call, kernel) => {
    const { id } = await openTask(kernel, call, call.params.actorTaskId, 'viewTask');
    const input = await findTaskInput(kernel.db, id);
    if (input === undefined) throw taskNotFound();
    return replyWith(input);
  },
);

const put = route(
  {
    ...BARE,
    id: 'actorTask_input_put',
    method: 'PUT',
    path: '/actor-tasks/{actorTaskId}/input',
    summary: 'Change fields of the input of a task',
    description:
      'The fields of the body replace those of the input; others stay. The reply is the whole input.',
    access: { action: 'updateTask', ofOwner: true },
    streams: true,
    consumes: () => ({ 'application/json': Input }),
  },
  async (call, kernel) => {
    const task = await openTask(kernel, call, call.params.actorTaskId, 'updateTask');
    return await withSentInput(kernel, call, async ({ body, contentType }) => {
      if (body === undefined) throw problem('body', 'must be a JSON object');
      if (!isJson(contentType ?? '')) throw wrongType(contentType);
      return replyWith(await changeTaskInput(kernel, call, task, body));
    });
  },
);

function replyWith(input: string): Bytes {
  return new Bytes(Buffer.from(input), { 'content-type': 'application/json; charset=utf-8' });
}

function wrongType(contentType: string | undefined): Failure {
  return new Failure(
    'malformed',
    `The Content-Type must be application/json, not ${contentType ?? 'absent'}.`,
    { code: 'invalid-content-type-header' },
  );
}

export const taskInputRoutes = [get, put];
