// The counters of streams in the metrics.
import type { CounterMetric } from '../../kernel/observability/metrics.ts';

export const REFUSED_STREAMS: CounterMetric = {
  name: 'flag_streams_refused_total',
  help: 'Streams of flags that were refused, by the limit that was reached',
};

export const CUT_STREAMS: CounterMetric = {
  name: 'flag_streams_cut_total',
  help: 'Streams of flags that were cut off, by the reason',
};

/** Why a stream was cut off. */
export type CutReason =
  | 'slow' // its client has read nothing between two heartbeats
  | 'failed'; // what it should send could not be made
