// The examples: loaded and removed with one click, where the caller looks after the server.
import { useState, type ReactNode } from 'react';
import type { Call } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import type { Demo } from '../api/types/signalbox.ts';
import { hrefOfResource } from '../lib/resource-links.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { TextLink } from '../ui/link.tsx';
import { ErrorState } from '../ui/states.tsx';
import { LiveDot } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { DEMO } from './demo-words.ts';
import { useMay } from './me.ts';

const READ: Call = { api: 'signalbox', path: '/demo' };
const LOAD: Call = { ...READ, method: 'PUT' };
const removeCall = (changedUntil?: number): Call => ({
  ...READ,
  method: 'DELETE',
  ...(changedUntil !== undefined && { query: { changedUntil } }),
});
/** While it is being made or removed, which no event of the stream ends. */
const POLL_MS = 1500;

const isBusy = (demo: Demo | undefined) => demo?.state === 'loading' || demo?.state === 'removing';

/** Undefined for those who do not look after the server. */
export function useDemo() {
  const [mayAdminister = false] = useMay([{ action: 'administerServer', resource: 'acct' }]) ?? [];
  const [isFast, setIsFast] = useState(false);
  const reading = useRead<Demo>(
    { call: READ, topics: ['activity'] },
    { isEnabled: mayAdminister, everyMs: isFast ? POLL_MS : undefined },
  );
  const isWaiting = isBusy(reading.data) || (reading.data?.state === 'present' && !reading.data.isComplete);
  if (isFast !== isWaiting) setIsFast(isWaiting);
  return mayAdminister ? reading : undefined;
}

export type DemoReading = NonNullable<ReturnType<typeof useDemo>>;

/** What the state is, and the one button that changes it. */
export function DemoControl({ reading: { data: demo, error, refetch } }: { reading: DemoReading }) {
  const load = useChange<void, Demo>(() => LOAD);
  const remove = useChange<number | undefined, Demo>(removeCall);
  const [isAsking, setIsAsking] = useState(false);
  const readAgain = () => void refetch();
  if (demo === undefined)
    return error === null ? null : <ErrorState error={error} onRetry={readAgain} isPlain />;
  const start = () => load.mutate(undefined, { onSettled: readAgain });
  const changed = demo.parts.filter(({ changedAt }) => changedAt !== undefined);
  const removeUntil = (changedUntil?: number) =>
    remove.mutate(changedUntil, {
      onSuccess: () => setIsAsking(false),
      onSettled: readAgain,
    });
  const failure = load.error ?? (isAsking ? null : remove.error);
  return (
    <>
      {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
      {demo.problem !== undefined && <Banner tone="warn">{DEMO.problem(demo.problem)}</Banner>}
      {demo.state === 'present' && <Places parts={demo.parts} />}
      {isBusy(demo) ? (
        <LiveDot state="connecting">{demo.state === 'loading' ? DEMO.loading : DEMO.removing}</LiveDot>
      ) : demo.state === 'present' ? (
        <div className="row row--wrap">
          <Button
            size="sm"
            icon="trash"
            isBusy={remove.isPending}
            onClick={() => (changed.length > 0 ? setIsAsking(true) : removeUntil())}
          >
            {DEMO.remove}
          </Button>
          {!demo.isComplete && <LiveDot state="connecting">{DEMO.completing}</LiveDot>}
        </div>
      ) : (
        <Button size="sm" icon="bolt" isBusy={load.isPending} onClick={start}>
          {DEMO.load}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={DEMO.askTitle}
          tone="danger"
          confirmLabel={DEMO.removeAll}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onClose={() => setIsAsking(false)}
          onConfirm={() => removeUntil(Math.max(...changed.map(({ changedAt = 0 }) => changedAt)))}
        >
          <p>{DEMO.ask}</p>
          <ul className="stack stack--4">
            {changed.map((part) => (
              <li key={part.resource}>
                <strong>{part.name}</strong> <span className="muted">{DEMO.kind(part.kind)}</span>
                {', '}
                <Changed part={part} />
              </li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}

/** On the page of the server, where it is found after the first run. */
export function DemoCard() {
  const reading = useDemo();
  if (reading === undefined) return null;
  const isThere = reading.data?.state === 'present';
  return (
    <Card title={DEMO.name} icon="bolt">
      <div className="stack stack--8">
        <p className="t13 muted">{isThere ? DEMO.presentText : DEMO.text}</p>
        <div className="stack stack--8 demo__control">
          <DemoControl reading={reading} />
        </div>
      </div>
    </Card>
  );
}

type DemoPart = Demo['parts'][number];

function Changed({ part: { changedAt = 0, changedBy } }: { part: DemoPart }): ReactNode {
  return (
    <>
      {changedBy.length === 0 ? DEMO.added : DEMO.changedBy(changedBy.join(', '))} <Time at={changedAt} />
    </>
  );
}

const SHOWN: Readonly<Record<string, IconName>> = { project: 'flag', actor: 'actor', repository: 'code' };

/** Where to begin, one of each product. */
function Places({ parts }: { parts: readonly DemoPart[] }) {
  return (
    <ul className="row row--wrap row--16 t13">
      {parts.map(({ resource, kind, name }) => {
        const icon = SHOWN[kind];
        const href = hrefOfResource(resource, name);
        if (icon === undefined || href === undefined) return null;
        return (
          <li key={resource} className="row">
            <Icon name={icon} />
            <TextLink href={href}>{name}</TextLink>
          </li>
        );
      })}
    </ul>
  );
}
