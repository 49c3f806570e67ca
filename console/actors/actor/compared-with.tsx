// Says which build something is shown beside.
import type { ComparedBuild } from '../../api/types/signalbox.ts';
import { TextLink } from '../../ui/link.tsx';
import { Time } from '../../ui/time.tsx';
import type { ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { hrefOfBuild } from './builds-tab.tsx';

export function ComparedWith({ actor, build }: { actor: ActorDetail; build: ComparedBuild }) {
  const { id, number, startedAt } = build;
  return (
    <p className="t13">
      {ACTOR_WORDS.comparedWith}{' '}
      <TextLink href={hrefOfBuild(actor, id)}>
        {ACTOR_WORDS.build} {number}
      </TextLink>
      , <Time at={startedAt} />
    </p>
  );
}
