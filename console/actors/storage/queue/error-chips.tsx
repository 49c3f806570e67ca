// The errors that requests ended with, each with its count: one of them filters the list.
import type { FailedRequests } from '../../../api/types/signalbox.ts';
import { Chips } from '../../../ui/chips.tsx';
import { formatCount } from '../../../ui/format.ts';
import { WORDS } from './queue-words.ts';

export type ErrorCounts = Pick<FailedRequests, 'failed' | 'errors'>;

export interface ErrorChipsProps {
  failures: ErrorCounts;
  chosen: string | undefined;
  onChoose: (error: string | undefined) => void;
}

/** The most frequent ones; the others stand in the list. */
const MOST_SHOWN = 8;
const LONGEST = 80;

export function ErrorChips({ failures: { failed, errors }, chosen, onChoose }: ErrorChipsProps) {
  const first = errors.slice(0, MOST_SHOWN);
  const known = errors.reduce((sum, { count }) => sum + count, 0);
  const isListed = chosen === undefined || first.some(({ text }) => text === chosen);
  const other = errors.find(({ text }) => text === chosen) ?? { text: chosen ?? '', count: 0 };
  const shown = isListed ? first : [...first, other];
  if (shown.length === 0) return null;
  return (
    <div className="stack stack--4 q-errors">
      <Chips
        label={WORDS.byError}
        items={shown.map(({ text, count }) => ({
          id: text,
          label: shorten(text),
          count,
          isOn: text === chosen,
          onToggle: () => onChoose(text === chosen ? undefined : text),
        }))}
      />
      {known < failed && <p className="t12 muted">{WORDS.partialErrors(formatCount(known))}</p>}
    </div>
  );
}

function shorten(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
