// Where a context stands in a segment, apart from any flag.
import { evaluateOne, Malformed, type CompiledSegment, type Run, type Standing } from './run.ts';

/** Undefined for who is not in it. Nobody is in a segment that cannot be evaluated as it is. */
export function findStanding({ locate }: CompiledSegment, run: Run): Standing | undefined {
  try {
    return evaluateOne(run, () => locate(run));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
