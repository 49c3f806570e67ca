// The counters of events in the metrics.
import type { CounterMetric } from '../../kernel/observability/metrics.ts';

export const PAYLOADS: CounterMetric = {
  name: 'flag_event_payloads_total',
  help: 'Payloads of events from SDKs, by what became of them',
};

export const EVENTS: CounterMetric = {
  name: 'flag_events_total',
  help: 'Events accepted from SDKs, by kind',
};

export const DROPPED_EVENTS: CounterMetric = {
  name: 'flag_events_dropped_total',
  help: 'Events of accepted payloads that were dropped, by the reason',
};

export const DIAGNOSTICS: CounterMetric = {
  name: 'sdk_diagnostics_total',
  help: 'Diagnostics of SDKs, by kind and SDK',
};

/** What became of a payload. */
export type PayloadOutcome =
  | 'accepted'
  | 'duplicate' // it had been counted before, on this node or another
  | 'limited' // its environment sends more than the limit
  | 'too-large'
  | 'malformed'
  | 'lost'; // accepted, and could not be saved
