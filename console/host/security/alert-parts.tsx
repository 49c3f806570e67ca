// The severity and the state of an alert: always a word.
import { Badge, Status } from '../../ui/status.tsx';
import { SEVERITY_TONES, severityOf, STATE_TONES, type Alert, type AlertState } from './alert.ts';
import { SECURITY } from './security-words.ts';

export function SeverityBadge({ alert }: { alert: Pick<Alert, 'rule'> }) {
  const severity = severityOf(alert);
  return <Badge tone={SEVERITY_TONES[severity]}>{SECURITY.severities[severity]}</Badge>;
}

export function AlertStateMark({ state, isPill }: { state: AlertState; isPill?: boolean }) {
  return (
    <Status tone={STATE_TONES[state]} isPill={isPill} icon={state === 'dismissed' ? 'minus' : undefined}>
      {SECURITY.stateWords[state]}
    </Status>
  );
}
