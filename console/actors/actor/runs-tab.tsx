// The caller's runs of one Actor.
import { EmptyState } from '../../ui/states.tsx';
import { useRuns } from '../runs/runs-queries.ts';
import { RunsTable } from '../runs/runs-table.tsx';
import type { ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

export function RunsTab({ actor }: { actor: ActorDetail }) {
  const list = useRuns({ actor: actor.id });
  const { title, text } = ACTOR_WORDS.noRuns;
  return (
    <RunsTable list={list} isOfActor emptyState={<EmptyState icon="actor" title={title} text={text} />} />
  );
}
