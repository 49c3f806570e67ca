// One of the steps before the rules: its number, whether the draft changes it, and whether the tried context stops here.
import type { ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';

export interface StepCardProps {
  title: string;
  step: number;
  isEdited: boolean;
  /** The context that stops here. */
  hit: string | undefined;
  children: ReactNode;
}

export function StepCard({ title, step, isEdited, hit, children }: StepCardProps) {
  return (
    <section
      className={classNames(
        'stop card rule rule--flat',
        isEdited && 'is-edit',
        hit !== undefined && 'is-hit',
      )}
      data-n={step}
      aria-label={title}
    >
      <div className="rule__h">
        <h2>{title}</h2>
        {hit !== undefined && <span className="ok t12 w5 nw">{WORDS.stopsHere(hit)}</span>}
      </div>
      <div className="rule__b">{children}</div>
    </section>
  );
}
