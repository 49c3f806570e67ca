// The Actors that somebody has pinned: how the last run of each went, and a way to the next.
import '../styles/pins.css';
import { path } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import { usePinnedActors } from '../app/pinned-actors.ts';
import { RunStatusView, type RunStatus } from '../lib/run-status.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { TextLink } from '../ui/link.tsx';
import { Section } from '../ui/page.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { WORDS } from './words.ts';

export function Pinned() {
  const pinned = usePinnedActors();
  if (pinned === undefined || pinned.ids.length === 0) return null;
  return (
    <Section title={WORDS.pinned.title}>
      <ul className="home-pins">
        {pinned.ids.map((id) => (
          <PinnedActor key={id} id={id} onUnpin={() => pinned.setPinned(id, false)} />
        ))}
      </ul>
    </Section>
  );
}

interface ActorName {
  name: string;
  username: string;
  title?: string | null;
}

interface LastRun {
  id: string;
  status: RunStatus;
  startedAt: string;
}

function PinnedActor({ id, onUnpin }: { id: string; onUnpin: () => void }) {
  const { data, error } = useRead<{ data: ActorName }>({
    call: { api: 'actors', path: path`/actors/${id}` },
    topics: ['actor'],
  });
  const runs = useRead<{ data: { items: LastRun[] } }>({
    call: { api: 'actors', path: path`/actors/${id}/runs`, query: { desc: true, limit: 1 } },
    topics: ['run'],
  });
  const actor = data?.data;
  const [last] = runs.data?.data.items ?? [];
  if (actor === undefined && error === null)
    return (
      <li>
        <Skeleton lines={1} />
      </li>
    );
  const name = actor === undefined ? id : actor.title || actor.name;
  const href = actor && `/actors/${encodeURIComponent(actor.username)}~${encodeURIComponent(actor.name)}`;
  return (
    <li className="row row--8">
      <div className="grow stack stack--4 t13">
        {href === undefined ? (
          <span className="mono break">{id}</span>
        ) : (
          <TextLink href={href}>{name}</TextLink>
        )}
        <span className="muted t12 row row--4 row--wrap">
          {actor === undefined ? (
            error?.message
          ) : last === undefined ? (
            runs.data !== undefined && WORDS.pinned.noRuns
          ) : (
            <>
              <RunStatusView status={last.status} />
              <TextLink href={`/runs/${encodeURIComponent(last.id)}`}>
                <Time at={last.startedAt} />
              </TextLink>
            </>
          )}
        </span>
      </div>
      {href !== undefined && <ButtonLink href={href} size="sm" icon="play" label={WORDS.pinned.run(name)} />}
      <Button tone="ghost" size="sm" icon="x" label={WORDS.pinned.unpin(name)} onClick={onUnpin} />
    </li>
  );
}
