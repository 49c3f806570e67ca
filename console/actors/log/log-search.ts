// Lines that fit a search or a level: the server looks for them in the whole log.
import { useEffect, useState } from 'react';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useRead } from '../../api/read.ts';
import { useSettled } from '../../lib/settled.ts';
import type { LogBook } from './log-book.ts';
import { pause, type LinesCall, type LogLinesBody } from './log-reader.ts';

export interface LogMatches {
  /** In order; of very many only the first. */
  numbers: readonly number[];
  total: number;
  /** Whether the whole log was looked at. */
  isDone: boolean;
}

const TYPING_MS = 250;
const LIVE_MS = 3000;

/** Undefined where nothing is searched. */
export function useHits(call: LinesCall, query: string, isLive: boolean): LogMatches | undefined {
  const text = useSettled(query.trim(), TYPING_MS);
  const isOn = text !== '' && query.trim() !== '';
  const { data } = useRead<LogLinesBody>(
    { call: { ...call({ q: text, from: 1, to: 1 }), isPolled: true } },
    { isEnabled: isOn, keepsPrevious: true, everyMs: isLive ? LIVE_MS : undefined },
  );
  if (query.trim() === '') return undefined;
  const { numbers = [], total = 0 } = data?.matches ?? {};
  return { numbers, total, isDone: isOn && data?.matches !== undefined };
}

const POLL_MS = 1000;

/** The lines of these levels, read from the beginning and then as they come. Undefined where all levels are shown. */
export function useLevelLines(
  call: LinesCall,
  book: LogBook,
  levels: string | undefined,
  isLive: boolean,
): LogMatches | undefined {
  const [found, setFound] = useState<LogMatches & { levels: string }>();
  useEffect(() => {
    if (levels === undefined) return undefined;
    const control = new AbortController();
    void readLevels({ call, book, levels, isLive, signal: control.signal, onFound: setFound });
    return () => control.abort();
  }, [call, book, levels, isLive]);
  if (levels === undefined) return undefined;
  return found?.levels === levels ? found : { numbers: [], total: 0, isDone: false };
}

interface LevelReading {
  call: LinesCall;
  book: LogBook;
  levels: string;
  isLive: boolean;
  signal: AbortSignal;
  onFound: (found: LogMatches & { levels: string }) => void;
}

async function readLevels({ call, book, levels, isLive, signal, onFound }: LevelReading): Promise<void> {
  let numbers: number[] = [];
  for (let after = 0; !signal.aborted;) {
    try {
      const { body } = await send<LogLinesBody>(
        { ...call({ level: levels, after }), isPolled: true },
        signal,
      );
      book.put(body.lines);
      numbers = [...numbers, ...body.lines.map(({ number }) => number)];
      after = body.next;
      const isDone = after >= body.total;
      onFound({ levels, numbers, total: numbers.length, isDone });
      if (isDone && !isLive) return;
      if (!isDone) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
    }
    await pause(POLL_MS, signal);
  }
}
