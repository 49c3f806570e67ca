// A log on a page: followed as long as it is shown.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { path } from '../../api/call.ts';
import { LogReader, type LinesCall } from './log-reader.ts';

export type LogKind = 'run' | 'build';

function linesCall(kind: LogKind, id: string): LinesCall {
  const address = kind === 'run' ? path`/runs/${id}/log-lines` : path`/builds/${id}/log-lines`;
  return (query) => ({ api: 'signalbox', path: address, query });
}

/** `isOver` says whether the run or build has ended: one that goes on again is followed again. */
export function useLog(kind: LogKind, id: string, isOver: boolean) {
  const [call] = useState(() => linesCall(kind, id));
  const [reader] = useState(() => new LogReader(call));
  useEffect(() => {
    reader.start(isOver);
  }, [reader, isOver]);
  useEffect(() => () => reader.stop(), [reader]);
  const snapshot = useSyncExternalStore(reader.subscribe, reader.snapshot);
  return { reader, book: reader.book, call, snapshot, retry: () => reader.start(isOver) };
}
