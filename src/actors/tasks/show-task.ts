// A task with its input, as its owner sees it.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { JsonText, reply, type Reply } from '../../kernel/http/route.ts';
import { standbyUrlOf } from '../actors/standby.ts';
import { taskNotFound, type TaskCall } from './access.ts';
import { toShownTask, type Task } from './model.ts';
import { findTaskInput } from './store.ts';

/** The input is put in as text: it may have megabytes. */
export async function showTask(
  { db, publicUrl }: Pick<Kernel, 'db' | 'publicUrl'>,
  { caller }: TaskCall,
  task: Task,
  status = 200,
): Promise<Reply> {
  const input = await findTaskInput(db, task.id);
  if (input === undefined) throw taskNotFound();
  const { username } = accountOf(caller);
  const shown = JSON.stringify(toShownTask(task, username, standbyUrlOf(publicUrl, username, task.name)));
  return reply(status, new JsonText(`${shown.slice(0, -1)},"input":${input}}`));
}
