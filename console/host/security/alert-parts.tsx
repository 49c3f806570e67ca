// The severity and the state of an alert, always a word, and the filters of lists by both.
import type { SearchState } from '../../lib/search-state.ts';
import { SelectInput } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import {
  ALERT_STATES,
  SEVERITIES,
  SEVERITY_TONES,
  STATE_TONES,
  type AlertState,
  type Severity,
} from './alert.ts';
import { SECURITY } from './security-words.ts';

export function SeverityBadge({ severity }: { severity: Severity | 'none' }) {
  return <Badge tone={SEVERITY_TONES[severity]}>{SECURITY.severities[severity]}</Badge>;
}

export function AlertStateMark({ state, isPill }: { state: AlertState; isPill?: boolean }) {
  return (
    <Status tone={STATE_TONES[state]} isPill={isPill} icon={state === 'dismissed' ? 'minus' : undefined}>
      {SECURITY.stateWords[state]}
    </Status>
  );
}

const STATES = [...ALERT_STATES, 'all'] as const;

/** As the address has them: open ones where it has no state. */
export function stateIn(search: SearchState): (typeof STATES)[number] {
  return STATES.find((one) => one === search.get('state')) ?? 'open';
}

export function StateAndSeverity({ search }: { search: SearchState }) {
  return (
    <>
      <Segmented
        label={SECURITY.state}
        size="sm"
        value={stateIn(search)}
        options={STATES.map((value) => ({ value, label: SECURITY.states[value] }))}
        onChange={(next) => search.set({ state: next === 'open' ? undefined : next })}
      />
      <SelectInput
        controlSize="sm"
        aria-label={SECURITY.severity}
        value={search.get('severity') ?? ''}
        onValue={(severity) => search.set({ severity })}
        options={[
          { value: '', label: SECURITY.anySeverity },
          ...SEVERITIES.map((value) => ({ value, label: SECURITY.severities[value] })),
        ]}
      />
    </>
  );
}
