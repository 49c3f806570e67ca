// Compiles the flags and segments of an environment: all of them, or those that have changed.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { ClauseData, FlagData, SegmentData } from './data.ts';
import { findDependents, updateDependents, type DependentsIndex, type ItemChange } from './dependents.ts';
import { compileFlag } from './flag.ts';
import { withEntries } from './layered-map.ts';
import { compilePattern, type Pattern } from './pattern/pattern.ts';
import type { CompiledFlag, CompiledSegment, EvaluationEnvironment, Patterns } from './run.ts';
import { compileSegment } from './segment.ts';

/**
 * Without membership in big segments, which is looked up for each context. It never changes; `withChanges` returns
 * another one.
 */
export interface CompiledEnvironment extends Omit<EvaluationEnvironment, 'bigSegmentInclusion'> {
  readonly patterns: Patterns;
  readonly dependents: DependentsIndex;
}

/** Flags and segments by their new data, or by key where they are removed. */
export interface EnvironmentChanges {
  flags?: readonly FlagData[];
  removedFlags?: readonly string[];
  segments?: readonly SegmentData[];
  removedSegments?: readonly string[];
}

/** Reuses the patterns that are compiled already. Other requests run between the steps of a large environment. */
export async function compileEnvironment(
  flagList: readonly FlagData[],
  segmentList: readonly SegmentData[],
  known: Patterns = new Map(),
): Promise<CompiledEnvironment> {
  const slice = new TimeSlice();
  const patterns = new Map<string, Pattern | undefined>();
  const flags = new Map<string, CompiledFlag>();
  for (const data of flagList) {
    flags.set(data.key, compileFlag(data, await compilePatterns(data, [patterns, known], slice, patterns)));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  const segments = new Map<string, CompiledSegment>();
  for (const data of segmentList) {
    const own = await compilePatterns(data, [patterns, known], slice, patterns);
    segments.set(data.key, compileSegment(data, own));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  const newFlags = flagList.map((after) => ({ before: undefined, after }));
  const newSegments = segmentList.map((after) => ({ before: undefined, after }));
  return { flags, segments, patterns, dependents: updateDependents(new Map(), newFlags, newSegments) };
}

/**
 * Compiles only the given flags and segments: the others are taken over as they are, because they look each other up by
 * key. A new flag takes its place in the order of keys.
 */
export async function withChanges(
  before: CompiledEnvironment,
  { flags = [], removedFlags = [], segments = [], removedSegments = [] }: EnvironmentChanges,
): Promise<CompiledEnvironment> {
  const slice = new TimeSlice();
  const newFlags = new Map<string, CompiledFlag>();
  for (const data of flags) {
    const known = [before.flags.get(data.key)?.patterns, before.patterns];
    newFlags.set(data.key, compileFlag(data, await compilePatterns(data, known, slice)));
  }
  const newSegments = new Map<string, CompiledSegment>();
  for (const data of segments) {
    const known = [before.segments.get(data.key)?.patterns, before.patterns];
    newSegments.set(data.key, compileSegment(data, await compilePatterns(data, known, slice)));
  }
  return {
    flags: withEntries(before.flags, newFlags, removedFlags),
    segments: withEntries(before.segments, newSegments, removedSegments),
    patterns: before.patterns,
    dependents: updateDependents(
      before.dependents,
      changesOf(before.flags, newFlags, removedFlags),
      changesOf(before.segments, newSegments, removedSegments),
    ),
  };
}

/**
 * The keys of the flags whose results may change with these flags and segments, because they depend on them directly or
 * through others. The given flags are among them only if they depend on one another.
 */
export function dependentsOf(
  { dependents }: CompiledEnvironment,
  changed: { flags?: Iterable<string>; segments?: Iterable<string> },
): Set<string> {
  return findDependents(dependents, changed);
}

type Compiled<Data> = { readonly data: Data };

function changesOf<Data>(
  before: ReadonlyMap<string, Compiled<Data>>,
  changed: ReadonlyMap<string, Compiled<Data>>,
  removed: readonly string[],
): ItemChange<Data>[] {
  const gone = removed.filter((key) => before.has(key));
  return [
    ...Array.from(changed, ([key, { data }]) => ({ before: before.get(key)?.data, after: data })),
    ...gone.map((key) => ({ before: before.get(key)!.data, after: undefined })),
  ];
}

/** The patterns of one flag or segment; undefined when it has none. Those that are compiled here are added to `shared`. */
async function compilePatterns(
  { rules }: { rules: readonly { clauses: readonly ClauseData[] }[] },
  known: readonly (Patterns | undefined)[],
  slice: TimeSlice,
  shared?: Map<string, Pattern | undefined>,
): Promise<Patterns | undefined> {
  let own: Map<string, Pattern | undefined> | undefined;
  for (const { clauses } of rules) {
    for (const { op, values } of clauses) {
      if (op !== 'matches') continue;
      own ??= new Map();
      for (const source of values) {
        if (typeof source !== 'string' || own.has(source)) continue;
        const from = known.find((patterns) => patterns?.has(source));
        const pattern = from === undefined ? compilePattern(source) : from.get(source);
        own.set(source, pattern);
        shared?.set(source, pattern);
        if (slice.isOver) await slice.yieldToEventLoop();
      }
    }
  }
  return own;
}
