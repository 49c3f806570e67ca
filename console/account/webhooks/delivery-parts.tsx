// A delivery in a list and its attempts, for webhooks of flags and of Actors alike.
import type { ReactNode } from 'react';
import { DeliveryRow } from '../../lib/delivery-row.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { outcomeTone } from './outcome.ts';
import type { AttemptPhases, DeliveryAttempt, DeliveryState } from './webhooks-queries.ts';
import { DELIVERY, HOOKS } from './webhooks-words.ts';

export interface ShownDelivery {
  id: string;
  state: DeliveryState;
  attempts: number;
  createdAt: number;
  status?: number;
  nextAttemptAt?: number;
}

export interface AttemptedDeliveryProps {
  delivery: ShownDelivery;
  /** Beside its outcome. */
  badge?: ReactNode;
  isOpen: boolean;
  onToggle: () => void;
}

export function AttemptedDelivery({ delivery, badge, isOpen, onToggle }: AttemptedDeliveryProps) {
  const { state, attempts, status, createdAt, nextAttemptAt } = delivery;
  return (
    <DeliveryRow
      tone={outcomeTone(state, attempts > 0)}
      outcome={HOOKS.outcomes[state]}
      status={status}
      badge={badge}
      note={
        <>
          {DELIVERY.attempts(attempts)}
          {nextAttemptAt !== undefined && attempts > 0 && (
            <>
              , {DELIVERY.next} <Time at={nextAttemptAt} />
            </>
          )}
        </>
      }
      at={createdAt}
      isOpen={isOpen}
      onToggle={onToggle}
    />
  );
}

export function Attempts({ history }: { history: readonly DeliveryAttempt[] }) {
  return (
    <div>
      <h4 className="t12 w5">{DELIVERY.history}</h4>
      {history.length === 0 && <p className="muted t12">{DELIVERY.noAttempt}</p>}
      <ol className="hook-tries">
        {history.map(({ number, at, durationMs, phases, status, error, response }) => {
          const isOk = status !== undefined && status >= 200 && status < 300;
          return (
            <li key={number}>
              <div className="row row--wrap t13">
                <Status tone={isOk ? 'ok' : 'bad'}>{DELIVERY.attempt(number)}</Status>
                <span>{status === undefined ? DELIVERY.noAnswer : DELIVERY.status(status)}</span>
                <span className="muted t12">
                  {DELIVERY.took} {formatDuration(durationMs)} · <Time at={at} />
                </span>
              </div>
              {phases !== undefined && <Phases phases={phases} />}
              {error !== undefined && <p className="t12 bad">{error}</p>}
              {response !== undefined && response !== '' && (
                <CodeBlock text={response} copyLabel={DELIVERY.answer} />
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** Where the time went, in the order of things. */
function Phases({ phases }: { phases: AttemptPhases }) {
  const { isReused, ...times } = phases;
  const parts = (['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'] as const)
    .filter((name) => times[name] !== undefined)
    .map((name) => `${DELIVERY.phases[name]} ${formatDuration(times[name]!)}`);
  return (
    <p className="muted t12">
      {[...(isReused === true ? [DELIVERY.phases.isReused] : []), ...parts].join(' · ')}
    </p>
  );
}
