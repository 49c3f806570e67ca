// What is kept of a payload of events until it is saved: how often each flag was evaluated, and for which kinds of contexts.
// Contexts themselves are not kept.

/** By which kind of key the SDK authenticated. */
export type EventSender = 'server' | 'mobile' | 'browser';

export interface EventPayload {
  /** By which a payload that is sent twice is recognised, within its environment. */
  id: string;
  environmentId: string;
  projectId: string;
  sender: EventSender;
  sdk: string;
  receivedAt: number;
  uses: FlagUses;
}

/** By the key of the flag, which need not exist. */
export type FlagUses = Map<string, FlagUse>;

export interface FlagUse {
  /** The default value in the code that evaluated last, as JSON. */
  lastDefault?: string;
  /** The kinds of the contexts that it was evaluated for. */
  contextKinds?: Set<string>;
  counts: EvaluationCount[];
}

export interface EvaluationCount {
  variation: number;
  version: number;
  count: number;
}

/** Where the code got its default value. */
export const NO_VARIATION = -1;
export const NO_VERSION = 0;
/** For all keys together that are no flags which the SDK could know. */
export const UNKNOWN_FLAG = '';

/** Of one flag, in one payload and in one environment: who knows a public key can make up kinds. */
export const MAX_CONTEXT_KINDS = 20;

/** How many rows the payload takes at most. */
export function weightOf({ uses }: Pick<EventPayload, 'uses'>): number {
  let weight = uses.size;
  for (const { counts, contextKinds } of uses.values()) weight += counts.length + (contextKinds?.size ?? 0);
  return weight;
}
