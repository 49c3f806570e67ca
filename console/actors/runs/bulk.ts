// One action for many runs, one call each. What one run answers says nothing about the others.
import { useEffect, useRef, useState } from 'react';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { isOver, type Run } from '../run.ts';

export type BulkAction = 'abort' | 'resurrect' | 'delete';

export type BulkResult = { state: 'waiting' | 'busy' | 'done' } | { state: 'failed'; message: string };

/** More at once would only wait for each other. */
const AT_ONCE = 3;

export function canApply(action: BulkAction, run: Run): boolean {
  return action === 'abort' ? !isOver(run) : isOver(run);
}

function callOf(action: BulkAction, id: string): Call {
  const run = path`/actor-runs/${id}`;
  if (action === 'delete') return { api: 'actors', method: 'DELETE', path: run };
  return {
    api: 'actors',
    method: 'POST',
    path: `${run}/${action}`,
    ...(action === 'abort' && { query: { gracefully: true } }),
  };
}

export function useBulk(action: BulkAction, runs: readonly Run[]) {
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map());
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const set = (id: string, result: BulkResult) => setResults((present) => new Map(present).set(id, result));
  const change = async ({ id }: Run) => {
    set(id, { state: 'busy' });
    try {
      await send(callOf(action, id));
      set(id, { state: 'done' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      set(id, { state: 'failed', message: error.message });
    }
  };
  const start = async () => {
    const waiting = runs.filter((run) => canApply(action, run));
    setResults(new Map(waiting.map(({ id }) => [id, { state: 'waiting' }])));
    const next = async (): Promise<void> => {
      const run = waiting.shift();
      if (run === undefined || isGone.current) return;
      await change(run);
      await next();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    invalidateTopics(['run']);
  };
  const states = [...results.values()].map(({ state }) => state);
  return {
    results,
    isBegun: states.length > 0,
    isDone: states.length > 0 && states.every((state) => state === 'done' || state === 'failed'),
    failures: states.filter((state) => state === 'failed').length,
    start: () => void start(),
  };
}
