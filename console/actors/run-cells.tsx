// The status, the Actor and the duration of a run, for lists and heads.
import { useEffect, useState } from 'react';
import { Duration } from '../ui/numbers.tsx';
import { Status } from '../ui/status.tsx';
import { useActor } from './queries.ts';
import { durationOf, isOver, STATUS_LOOK, type Run, type RunStatus } from './run.ts';
import { STATUS_WORDS } from './words.ts';

export function RunStatusView({ status, isPill }: { status: RunStatus; isPill?: boolean }) {
  const { tone, icon } = STATUS_LOOK[status] ?? { tone: 'neutral' };
  return (
    <Status tone={tone} icon={icon} isPill={isPill}>
      {STATUS_WORDS[status] ?? status}
    </Status>
  );
}

/** The title over the full name; the id while it is not known, or where the Actor is gone. */
export function ActorName({ id }: { id: string }) {
  const actor = useActor(id);
  if (actor === undefined) return <span className="mono t12 cut">{id}</span>;
  const fullName = `${actor.username}/${actor.name}`;
  return (
    <span className="two">
      <b className="cut">{actor.title ?? actor.name}</b>
      <small className="mono cut">{fullName}</small>
    </span>
  );
}

const SECOND = 1000;

export function RunDuration({ run }: { run: Run }) {
  const [now, setNow] = useState(() => Date.now());
  const isDone = isOver(run);
  useEffect(() => {
    if (isDone) return undefined;
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, [isDone]);
  return <Duration value={durationOf(run, now)} />;
}
