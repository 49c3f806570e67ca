// How far a queue is: a bar of what is pending, locked and handled, with the numbers below it.
import type { FailedRequests } from '../../../api/types/signalbox.ts';
import { cssVars } from '../../../ui/css-vars.ts';
import { formatCount } from '../../../ui/format.ts';
import type { Queue } from '../storage.ts';
import { WORDS } from './queue-words.ts';

export interface QueueBarProps {
  queue: Queue;
  locked: number;
  /** There are more than were read. */
  hasMoreLocked: boolean;
  /** Handled with errors; undefined until it is known. */
  failures: Pick<FailedRequests, 'failed' | 'isPartial'> | undefined;
}

export function QueueBar({ queue, locked, hasMoreLocked, failures }: QueueBarProps) {
  const { handledRequestCount: handled, totalRequestCount: total } = queue;
  // The two are read at different times.
  const held = Math.min(locked, Math.max(0, total - handled));
  const pending = Math.max(0, total - handled - held);
  const lockedText = hasMoreLocked ? WORDS.many(formatCount(held)) : formatCount(held);
  const { failed = 0, isPartial = false } = failures ?? {};
  const failedText = isPartial ? WORDS.many(formatCount(failed)) : formatCount(failed);
  const parts = [
    {
      name: 'handled',
      label: WORDS.handled,
      count: Math.max(0, handled - failed),
      text: formatCount(handled),
    },
    ...(failed > 0 ? [{ name: 'failed', label: WORDS.withErrors, count: failed, text: failedText }] : []),
    { name: 'locked', label: WORDS.locked, count: held, text: lockedText },
    { name: 'pending', label: WORDS.pending, count: pending, text: formatCount(pending) },
  ];
  return (
    <section
      className="card q-card"
      aria-label={WORDS.counters(formatCount(pending), lockedText, formatCount(handled))}
    >
      <div className="q-bar" aria-hidden="true">
        {parts.map(({ name, count }) => (
          <span key={name} className={`q-bar__${name}`} style={cssVars({ n: total === 0 ? 0 : count })} />
        ))}
      </div>
      <dl className="q-legend">
        {parts.map(({ name, label, text }) => (
          <div key={name}>
            <dt>
              <i className={`q-bar__${name}`} aria-hidden="true" />
              {label}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
