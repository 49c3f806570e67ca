// The calls that this page has made, for the API drawer.
import { addressOf, type Call } from './call.ts';

export interface LoggedCall {
  id: number;
  call: Call;
  at: number;
  /** Undefined while it is under way; 0 where the server did not answer. */
  status?: number;
  ms?: number;
  requestId?: string;
  limit?: number;
  remaining?: number;
}

const MAX_CALLS = 60;
const MAX_EARLIER = 300;

let calls: readonly LoggedCall[] = [];
/** Of pages before this one, by name: what they have read may be shown again without a call. */
const earlier = new Map<string, LoggedCall>();
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly LoggedCall[]): void {
  calls = next;
  for (const listener of listeners) listener();
}

/** Adds it, and returns what to say about its end. */
export function logCall(call: Call): (end: Omit<LoggedCall, 'id' | 'call' | 'at' | 'ms'>) => void {
  const id = ++lastId;
  const begun = performance.now();
  const isEarlier = (one: LoggedCall) => one.call.isPolled === true && one.call.path === call.path;
  const others = call.isPolled === true ? calls.filter((one) => !isEarlier(one)) : calls;
  set([...others.slice(1 - MAX_CALLS), { id, call, at: Date.now() }]);
  return (end) => {
    const ms = Math.round(performance.now() - begun);
    const ended = (one: LoggedCall) => (one.id === id ? { ...one, ...end, ms } : one);
    const before = earlier.get(nameOf(call));
    if (before?.id === id) earlier.set(nameOf(call), ended(before));
    set(calls.map(ended));
  };
}

/** Calls of one name read the same thing. */
export function nameOf(call: Call): string {
  return `${call.method ?? 'GET'} ${addressOf(call)}`;
}

/** Another page begins. */
export function forgetCalls(): void {
  for (const one of calls) {
    const name = nameOf(one.call);
    earlier.delete(name);
    earlier.set(name, one);
  }
  for (const name of [...earlier.keys()].slice(0, -MAX_EARLIER)) earlier.delete(name);
  set([]);
}

/** The page shows what was read before it began: under the pointer, or when it was visited last. */
export function recallCall(call: Call): void {
  const name = nameOf(call);
  const found = earlier.get(name);
  if (found === undefined || calls.some((one) => nameOf(one.call) === name)) return;
  set([...calls.slice(1 - MAX_CALLS), found]);
}

export function listCalls(): readonly LoggedCall[] {
  return calls;
}

export function onCalls(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
