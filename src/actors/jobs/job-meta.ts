// What is known of the start of a build or run: where it came from, and for whom.
import type { Initiator } from '../../kernel/identity/identity.ts';

export const ORIGINS = [
  'DEVELOPMENT',
  'WEB',
  'API',
  'SCHEDULER',
  'TEST',
  'WEBHOOK',
  'ACTOR',
  'CLI',
  'CI',
  'STANDBY',
] as const;
export type RunOrigin = (typeof ORIGINS)[number];

export interface JobMeta {
  origin: RunOrigin;
  clientIp?: string | null;
  userAgent?: string | null;
  /** Whose permissions the run has. */
  initiator: Initiator;
  /** The run whose token started this one. */
  startedByRunId?: string;
  scheduleId?: string;
  scheduledAt?: string;
  /** How many runs in a row webhooks have started, this one included. */
  webhookDepth?: number;
}
