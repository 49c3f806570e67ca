// The last runs of an Actor beside each other: high and green where they succeeded, low and red where not.
import '../../styles/actors.css';
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { STATUS_LOOK } from '../../lib/run-status.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import type { ListBody } from '../queries.ts';
import type { Run } from '../run.ts';
import { ACTORS_WORDS } from './actors-words.ts';

const SHOWN = 30;
/** A list of Actors reads one of these for each; an event of every run would read them all. */
const EVERY_MS = 30_000;

export function RunStrip({ actorId }: { actorId: string }) {
  const { data } = useRead<ListBody<Run>>(
    { call: { api: 'actors', path: path`/actors/${actorId}/runs`, query: { desc: true, limit: SHOWN } } },
    { everyMs: EVERY_MS },
  );
  if (data === undefined) return <span className="run-strip" />;
  const runs = data.data.items.toReversed();
  if (runs.length === 0) return <span className="faint">{ACTORS_WORDS.noRuns}</span>;
  const bad = runs.filter(({ status }) => ['bad', 'warn'].includes(toneOf(status))).length;
  return (
    <span
      className="run-strip"
      role="img"
      aria-label={ACTORS_WORDS.strip(formatCount(runs.length), formatCount(bad))}
    >
      {runs.map(({ id, status }) => (
        <i key={id} className={classNames(`run-strip--${toneOf(status)}`)} />
      ))}
    </span>
  );
}

function toneOf(status: Run['status']): string {
  return (STATUS_LOOK[status] ?? { tone: 'neutral' }).tone;
}
