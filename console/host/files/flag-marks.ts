// The flags that the texts in code name: on which lines they stand, and what they are doing now.
import { useMemo } from 'react';
import { useRead } from '../../api/read.ts';
import type { FoundFlag } from '../../api/types/signalbox.ts';
import type { Token } from '../../lib/highlight/tokenize.ts';

/** So many the server looks up at once; files that name more texts than that are data. */
const MAX_KEYS = 300;
const KEY = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,255}$/;
const QUOTES = /^["'`]+|["'`]+$/g;

export interface FlagMarks {
  /** By the number of the line, from one. */
  byLine: ReadonlyMap<number, FoundFlag[]>;
  /** With the first of their lines. */
  ready: readonly { flag: FoundFlag; line: number }[];
}

/** By text, the lines that it stands on. */
function keysIn(
  lines: readonly string[],
  tokens: readonly Token[][],
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [index, line] of tokens.entries())
    for (const { kind, start, end } of line) {
      if (kind !== 's') continue;
      const text = lines[index]!.slice(start, end).replaceAll(QUOTES, '');
      if (!KEY.test(text)) continue;
      const at = found.get(text);
      if (at !== undefined) at.push(index + 1);
      else if (found.size < MAX_KEYS) found.set(text, [index + 1]);
    }
  return found;
}

const NONE: ReadonlyMap<string, readonly number[]> = new Map();

/** Undefined where the code names none. */
export function useFlagMarks(
  lines: readonly string[],
  tokens: readonly Token[][] | undefined,
): FlagMarks | undefined {
  const places = useMemo(() => (tokens === undefined ? NONE : keysIn(lines, tokens)), [lines, tokens]);
  const { data } = useRead<{ items: FoundFlag[] }>(
    {
      call: {
        api: 'signalbox',
        method: 'POST',
        path: '/flags/find',
        body: { keys: [...places.keys()] },
      },
      topics: ['flag'],
    },
    { isEnabled: places.size > 0 },
  );
  return useMemo(() => {
    if (data === undefined || data.items.length === 0) return undefined;
    const byLine = new Map<number, FoundFlag[]>();
    for (const flag of data.items)
      for (const line of new Set(places.get(flag.key))) byLine.set(line, [...(byLine.get(line) ?? []), flag]);
    const ready = data.items
      .filter(({ isReadyToRemove, isArchived }) => isReadyToRemove || isArchived)
      .map((flag) => ({ flag, line: places.get(flag.key)?.[0] ?? 1 }));
    return { byLine, ready };
  }, [data, places]);
}
