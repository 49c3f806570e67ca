// The bar below a page with a draft: what is changed, and what to do with it.
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/status.tsx';
import type { ChangeWords } from './summary.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';

/** More than these are counted. */
const MAX_SHOWN = 4;

export interface UnsavedBarProps {
  changes: readonly ChangeWords[];
  problems: number;
  onDiscard: () => void;
  onReview: () => void;
}

export function UnsavedBar({ changes, problems, onDiscard, onReview }: UnsavedBarProps) {
  const review = useRef(onReview);
  useEffect(() => {
    review.current = problems > 0 ? () => undefined : onReview;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (document.querySelector('dialog:modal') === null) review.current();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <section className="unsaved" aria-label={WORDS.unsaved}>
      <Badge tone="acc">{WORDS.changes(changes.length)}</Badge>
      <span className="grow">
        {changes.slice(0, MAX_SHOWN).map(({ part, from, to }, index) => (
          <span key={part}>
            {index > 0 && <span className="dot"> · </span>}
            <b className="w5">{part}</b>{' '}
            <span className="from-to">
              {from !== undefined && (
                <>
                  <s>{from}</s> →{' '}
                </>
              )}
              {to}
            </span>
          </span>
        ))}
        {changes.length > MAX_SHOWN && (
          <span className="muted"> {WORDS.more(changes.length - MAX_SHOWN)}</span>
        )}
      </span>
      <Button onClick={onDiscard}>{WORDS.discard}</Button>
      <Button
        tone="primary"
        keys="Ctrl S"
        disabledReason={problems > 0 ? WORDS.problems.fix(problems) : undefined}
        onClick={onReview}
      >
        {WORDS.review}
      </Button>
    </section>
  );
}
