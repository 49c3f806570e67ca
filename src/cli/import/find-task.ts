// Finds the task on the target that stands for one of the source.
import type { ImportContext } from './import-context.ts';

interface NamedTask {
  id: string;
  name: string;
}

export async function findTaskId(
  context: ImportContext,
  sourceId: string,
): Promise<string | { missing: string }> {
  const { from, to, ids, owner } = context;
  const known = ids.tasks.get(sourceId);
  if (known !== undefined) return known;
  const task = await from.find<NamedTask>(`/actor-tasks/${sourceId}`);
  if (task === undefined) return { missing: `its task ${sourceId} is gone` };
  const found = await to.find<NamedTask>(`/actor-tasks/${owner.to.username}~${task.name}`);
  if (found === undefined) return { missing: `its task ${task.name} is not on ${to.host}` };
  ids.tasks.set(sourceId, found.id);
  return found.id;
}
