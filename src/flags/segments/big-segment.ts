// Checks for big segments, whose members are rows of their own.
import { Failure } from '../../kernel/failure.ts';
import type { Segment } from './segment.ts';

export function requireBig(segment: Segment): Segment {
  if (segment.unbounded) return segment;
  throw new Failure('invalid', `The segment "${segment.key}" is no big segment: its targets stand in it`);
}

/**
 * While an import replaces all members, other membership changes are refused, because the import would overwrite them.
 */
export function requireUnlocked({ key, importing }: Segment): void {
  if (importing !== 'replace') return;
  throw new Failure('conflict', `An import replaces the members of "${key}": try again when it is complete`);
}
