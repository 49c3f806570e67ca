// A delivery in a list: its outcome, when, and a button that opens it. For the webhooks of all APIs.
import '../styles/deliveries.css';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Status, type StatusTone } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export interface DeliveryRowProps {
  tone: StatusTone;
  /** The outcome in a word. */
  outcome: string;
  /** What the receiver answered, where it did. */
  status?: number | undefined;
  /** Beside its outcome. */
  badge?: ReactNode;
  note?: ReactNode;
  at: number | string;
  isOpen: boolean;
  onToggle: () => void;
}

export function DeliveryRow(props: DeliveryRowProps) {
  const { tone, outcome, status, badge, note, at, isOpen, onToggle } = props;
  return (
    <div className="row row--wrap">
      <Button
        tone="ghost"
        size="sm"
        icon={isOpen ? 'down' : 'right'}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <Status tone={tone}>{outcome}</Status>
      </Button>
      {status !== undefined && <span className="t12 mono">{status}</span>}
      {badge}
      {note !== undefined && <span className="muted t12">{note}</span>}
      <span className="push t12 muted">
        <Time at={at} />
      </span>
    </div>
  );
}

/** A body as it is read best. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
