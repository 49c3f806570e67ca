// What is known of the start of a build or run: where it came from, by the call or by what its client says of itself, and for whom.
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';

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

/** Origins that a client may claim. The others are set by the server alone. */
const CLAIMED: readonly RunOrigin[] = ['DEVELOPMENT', 'WEB', 'API', 'TEST', 'CLI', 'CI'];
const HEADERS = ['x-apify-request-origin', 'x-platform-request-origin'];
const MAX_AGENT = 500;

interface OriginCall {
  caller: KnownCaller;
  headers: Record<string, string | string[] | undefined>;
  address: string;
}

export function metaOf({ caller, headers, address }: OriginCall, initiator: Initiator): JobMeta {
  const agent = headers['user-agent'];
  return {
    origin: originOf(caller, headers),
    clientIp: address,
    userAgent: typeof agent === 'string' ? agent.slice(0, MAX_AGENT) : null,
    initiator,
    ...(caller.program && { startedByRunId: caller.program.id }),
  };
}

function originOf({ kind, program }: KnownCaller, headers: OriginCall['headers']): RunOrigin {
  if (program !== undefined) return 'ACTOR';
  const claim = HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
  const claimed = CLAIMED.find((origin) => origin === String(claim).toUpperCase());
  return claimed ?? (kind === 'session' ? 'WEB' : 'API');
}
