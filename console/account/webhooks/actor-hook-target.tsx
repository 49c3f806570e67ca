// What a webhook listens to, by its name and with a link.
import { TextLink } from '../../ui/link.tsx';
import { scopeOf, useTargets, type ActorHook, type ScopeName } from './actor-hook-queries.ts';
import { ACTOR_HOOKS } from './actor-hook-words.ts';

const PAGES: Readonly<Record<ScopeName, string>> = {
  actorId: '/actors',
  actorTaskId: '/tasks',
  actorRunId: '/runs',
};

export function ActorHookTarget({ condition }: Pick<ActorHook, 'condition'>) {
  const { scope, id } = scopeOf(condition);
  const target = useTargets(scope).find((one) => one.id === id);
  return (
    <span>
      <span className="muted">{ACTOR_HOOKS.kinds[scope]}</span>{' '}
      <TextLink href={`${PAGES[scope]}/${encodeURIComponent(id)}`}>
        {target?.title || target?.name || id}
      </TextLink>
    </span>
  );
}
