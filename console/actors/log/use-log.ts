// A log on a page: followed as long as it is shown.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { LogReader } from './log-reader.ts';

/** `isOver` says whether the run or build has ended: one that goes on again is followed again. */
export function useLog(id: string, isOver: boolean) {
  const [reader] = useState(() => new LogReader(id));
  useEffect(() => {
    reader.start();
  }, [reader, isOver]);
  useEffect(() => () => reader.stop(), [reader]);
  const snapshot = useSyncExternalStore(reader.subscribe, reader.snapshot);
  return { book: reader.book, snapshot, retry: () => reader.start() };
}
