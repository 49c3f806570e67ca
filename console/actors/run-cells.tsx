// The Actor and the duration of a run, for lists and heads.
import { useEffect, useState } from 'react';
import { Duration } from '../ui/numbers.tsx';
import { useActorName } from './queries.ts';
import { durationOf, isOver, type Run } from './run.ts';

/** The title over the full name; the id while it is not known, or where the Actor is gone. */
export function ActorName({ id }: { id: string }) {
  const actor = useActorName(id);
  if (actor === undefined) return <span className="mono t12 cut">{id}</span>;
  return <ActorTitle actor={actor} />;
}

export interface NamedActor {
  name: string;
  username: string;
  title?: string | null;
}

export function ActorTitle({ actor: { name, username, title } }: { actor: NamedActor }) {
  return (
    <span className="two">
      <b className="cut">{title || name}</b>
      <small className="mono cut">{`${username}/${name}`}</small>
    </span>
  );
}

const SECOND = 1000;

/** Goes on while the run or the build does. */
export function useRunDuration(run: Pick<Run, 'startedAt' | 'finishedAt'>): number {
  const [now, setNow] = useState(() => Date.now());
  const isDone = isOver(run);
  useEffect(() => {
    if (isDone) return undefined;
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, [isDone]);
  return durationOf(run, now);
}

export function RunDuration({ run }: { run: Pick<Run, 'startedAt' | 'finishedAt'> }) {
  return <Duration value={useRunDuration(run)} />;
}
