// The content type that bodies must have.
import { Failure } from '../kernel/failure.ts';
import { parseMediaType } from '../kernel/http/body/media-type.ts';

/** Semantic patches have the same type with a parameter. */
export function requireJson(type: string | undefined): void {
  if (parseMediaType(type ?? '')?.type === 'application/json') return;
  throw new Failure('malformed', `The Content-Type must be application/json, not ${type ?? 'absent'}`);
}
