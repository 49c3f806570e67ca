// The calls that this page has made, for the API drawer.
import type { Call } from './call.ts';

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

let calls: readonly LoggedCall[] = [];
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
    set(calls.map((one) => (one.id === id ? { ...one, ...end, ms } : one)));
  };
}

/** Another page begins. */
export function forgetCalls(): void {
  set([]);
}

export function listCalls(): readonly LoggedCall[] {
  return calls;
}

export function onCalls(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
