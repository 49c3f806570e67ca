// The end of a call: it is counted, in metrics, in the usage of its version, in rate limits and for its program, and logged.
import type { ApiProtocol } from './protocol.ts';
import type { Kernel } from '../kernel.ts';
import type { RequestContext } from './request-context.ts';
import { accountOf } from '../identity/caller.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { unknownFields } from '../schema/schema-errors.ts';
import type { RouteUsage } from '../versions/usage/route-usage.ts';
import type { VersionUsage } from '../versions/usage/version-usage.ts';

/** Counts a call whose reply is written, and logs it: changes of configuration always, others at level debug. */
export function finishCall(
  call: RequestContext,
  status: number,
  protocol: ApiProtocol,
  { metrics, log, versionUsage }: Kernel,
): void {
  const { name } = protocol;
  metrics.count(name, call.shape?.id ?? 'none', status, call.elapsedMs / 1000);
  // Failed calls are not counted: errors are the same in every version.
  if (call.usage !== undefined && status < 400) countUsage(call, call.usage, versionUsage);
  if (call.caller?.kind === 'token') call.caller.program?.noteCall?.(name, call.shape?.id, status, call.now);
  if (call.hasFailed) return;
  const isDebug = log.isLevelEnabled('debug');
  if (!isDebug && !isWorthInfo(call)) return;
  const line = describeCall(call, name, status);
  const ignored = isDebug ? ignoredBy(protocol, call) : {};
  log[isWorthInfo(call) ? 'info' : 'debug']({ ...line, ...ignored }, 'call');
}

function countUsage(
  { caller, effects, now }: RequestContext,
  usage: RouteUsage,
  versionUsage: VersionUsage,
): void {
  const noticed = effects | usage.always;
  if (noticed !== 0 && caller !== undefined) versionUsage.record(usage, caller, noticed, now);
}

/** Counts one for a call with `charge: 'later'` that failed before it was charged: failed calls count, too. */
export function settle({ caller, shape, counters, now }: RequestContext, { limits }: Kernel): void {
  if (caller === undefined || shape?.charge !== 'later') return;
  for (const counted of counters)
    counted.counter = limits.take(counted.category, caller, now) ?? counted.counter;
}

/** A 304 is not counted for authenticated callers. */
export function refund({ caller, shape, counters, now }: RequestContext, { limits }: Kernel): void {
  if (caller === undefined || caller.kind === 'anonymous' || shape?.charge !== undefined) return;
  for (const counted of counters) counted.counter = limits.refund(counted.category, caller, now);
}

interface CallLine {
  call: string;
  api: string;
  method: string;
  /** The method that was sent, if it was overridden. */
  sent?: string;
  route: string | undefined;
  path: string;
  status: number;
  ms: number;
  /** The username; absent for anonymous callers. */
  caller?: string;
  /** The last characters of the token. */
  token?: string;
  address: string;
}

export function describeCall(call: RequestContext, api: string, status: number): CallLine {
  const { id, method, overridden, shape, caller, address } = call;
  return {
    call: id,
    api,
    method,
    ...(overridden !== undefined && { sent: overridden.sent }),
    route: shape?.id,
    path: shownPath(call),
    status,
    ms: Math.round(call.elapsedMs * 10) / 10,
    ...(caller !== undefined && caller.kind !== 'anonymous' && { caller: accountOf(caller).username }),
    ...(caller?.kind === 'token' && caller.token !== undefined && { token: caller.token.ending }),
    address,
  };
}

/** Configuration changes are rare and get a line each at level info; reads and data calls do not. */
function isWorthInfo({ method, shape }: RequestContext): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  return !isRead && shape !== undefined && shape.isData !== true;
}

const HIDDEN = '***';
const HIDDEN_PARAMETERS = new Set(['{secret}', '{context}', '{code}']);
/** In a path without a route any long word may be a secret, and Base64 of text that begins with `{"` a context. */
const SECRET_WORD = /^(?:eyJ[\w.=%-]*|[\w.=%-]{32,})$/;

/** Without the query, which may contain tokens and signatures, and without the secret segments of the path. */
export function shownPath({ url, shape }: Pick<RequestContext, 'url' | 'shape'>): string {
  const words = url.split(/[?#]/, 1)[0]!.split('/');
  const pattern = shape?.path.split('/') ?? [];
  const offset = words.length - pattern.length;
  const isHidden = (word: string, index: number) =>
    shape === undefined ? SECRET_WORD.test(word) : HIDDEN_PARAMETERS.has(pattern[index - offset] ?? '');
  return words.map((word, index) => (isHidden(word, index) ? HIDDEN : word)).join('/');
}

/** The query parameters and body fields that the route ignored. */
function ignoredBy(
  { commonQuery = [] }: ApiProtocol,
  { url, shape, body }: RequestContext,
): { ignored?: string[] } {
  if (shape === undefined) return {};
  const parameters = new URLSearchParams(url.split('?')[1] ?? '');
  const known = new Set([
    ...Object.keys((shape.query as JsonSchema | undefined)?.properties ?? {}),
    ...commonQuery,
  ]);
  const ignored = [...new Set(parameters.keys())]
    .filter((name) => !known.has(name))
    .map((name) => `query.${name}`);
  for (const { path } of shape.body === undefined ? [] : unknownFields(shape.body, body)) {
    ignored.push(path.slice(1).replaceAll('/', '.'));
  }
  return ignored.length === 0 ? {} : { ignored };
}
