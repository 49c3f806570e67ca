// Delivery of flags to SDKs, in sections of their own.
import type { Effort } from './compare.ts';
import { benchDeliveryEvaluation } from './delivery-evaluation.ts';
import { benchEvents } from './delivery-events.ts';
import { benchFeeds } from './delivery-feeds.ts';
import { benchPolling } from './delivery-polling.ts';
import { benchStreams } from './delivery-streams.ts';
import type { Row } from './report.ts';

const SECTIONS: ((effort: Effort) => Promise<Row[]>)[] = [
  benchDeliveryEvaluation,
  benchPolling,
  benchEvents,
  benchStreams,
  benchFeeds,
];

export async function benchDelivery(effort: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const section of SECTIONS) rows.push(...(await section(effort)));
  return rows;
}
