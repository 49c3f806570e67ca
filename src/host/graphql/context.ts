// What the fields of a GraphQL query get: who asks, and what with.
import type { Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Counter } from '../../kernel/limits/window.ts';
import type { Cost } from './cost.ts';

/** The part of a call that fields need. */
export type FieldCall = Pick<Call, 'now' | 'url' | 'can' | 'requirePermission'> & { caller: KnownCaller };

export interface GraphqlContext {
  call: FieldCall;
  caller: KnownCaller;
  base: string;
  kernel: Kernel;
  cost: Cost;
  /** The rate limit after this query was consumed of it; undefined when limits are off. */
  counter: Counter | undefined;
}
