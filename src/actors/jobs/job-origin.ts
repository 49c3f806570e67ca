// Where a run or build comes from: how the call was made, or what the client says of itself.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { JobMeta, RunOrigin } from './job-meta.ts';

/** Origins that a client may claim. The others are set by the server alone. */
const CLAIMED: readonly RunOrigin[] = ['DEVELOPMENT', 'WEB', 'API', 'TEST', 'CLI', 'CI'];
const HEADERS = ['x-apify-request-origin', 'x-platform-request-origin'];
const MAX_AGENT = 500;

export interface OriginCall {
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
