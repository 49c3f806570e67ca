// What an action of a schedule starts, by its name and with a link.
import { TextLink } from '../../ui/link.tsx';
import { hrefOfActor, useActorName } from '../queries.ts';
import { hrefOfTask, useTasks } from '../tasks/task-queries.ts';
import type { ScheduleAction } from './schedule-queries.ts';

/** The id while the name is not known, or where it is gone. */
export function ActionTarget({ action }: { action: ScheduleAction }) {
  if (action.actorTaskId !== undefined) return <TaskTarget id={action.actorTaskId} />;
  return <ActorTarget id={action.actorId ?? ''} />;
}

function ActorTarget({ id }: { id: string }) {
  const actor = useActorName(id);
  if (actor === undefined) return <span className="mono t12">{id}</span>;
  return <TextLink href={hrefOfActor(actor)}>{actor.title || actor.name}</TextLink>;
}

function TaskTarget({ id }: { id: string }) {
  const task = useTasks().rows.find((one) => one.id === id);
  return <TextLink href={hrefOfTask(id)}>{task?.title || task?.name || id}</TextLink>;
}
