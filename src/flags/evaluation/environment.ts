// Compiles all flags and segments of an environment.
import { TimeSlice } from '../../kernel/time-slice.ts';
import type { ClauseData, FlagData, SegmentData } from './data.ts';
import { compileFlag } from './flag.ts';
import { compilePattern, type Pattern } from './pattern/pattern.ts';
import type { CompiledFlag, CompiledSegment, EvaluationEnvironment } from './run.ts';
import { compileSegment } from './segment.ts';

/** Without membership in big segments, which is looked up for each context. */
export interface CompiledEnvironment extends Omit<EvaluationEnvironment, 'bigSegmentInclusion'> {
  readonly patterns: Patterns;
}

/** Compiled patterns by their sources; undefined for an invalid pattern. */
type Patterns = ReadonlyMap<string, Pattern | undefined>;

/** Reuses the patterns that are compiled already. Other requests run between the steps of a large environment. */
export async function compileEnvironment(
  flagList: readonly FlagData[],
  segmentList: readonly SegmentData[],
  known?: Patterns,
): Promise<CompiledEnvironment> {
  const slice = new TimeSlice();
  const patterns = new Map<string, Pattern | undefined>();
  for (const { rules } of [...flagList, ...segmentList]) {
    for (const source of rules.flatMap(({ clauses }) => clauses).flatMap(sourcesOf)) {
      if (patterns.has(source)) continue;
      patterns.set(source, known?.has(source) ? known.get(source) : compilePattern(source));
      if (slice.isOver) await slice.next();
    }
    if (slice.isOver) await slice.next();
  }
  const patternOf = (source: string) => patterns.get(source);
  const flags = new Map<string, CompiledFlag>();
  for (const flag of flagList) {
    flags.set(flag.key, compileFlag(flag, patternOf));
    if (slice.isOver) await slice.next();
  }
  const segments = new Map<string, CompiledSegment>();
  for (const segment of segmentList) {
    segments.set(segment.key, compileSegment(segment, patternOf));
    if (slice.isOver) await slice.next();
  }
  return { flags, segments, patterns };
}

function sourcesOf({ op, values }: ClauseData): string[] {
  return op === 'matches' ? values.filter((value) => typeof value === 'string') : [];
}
