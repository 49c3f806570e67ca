// One action for many runs, one call each. What one run answers says nothing about the others.
import { useEffect, useRef, useState } from 'react';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { isInputObject, takeOutSecrets } from '../input/secrets.ts';
import { runRead } from '../queries.ts';
import { isOver, type Run, type RunDetail } from '../run.ts';

export type BulkAction = 'abort' | 'resurrect' | 'rerun' | 'delete';

export type BulkResult =
  | { state: 'waiting' | 'busy' }
  /** The id of the run that there is now; none where it was deleted. */
  | { state: 'done'; runId?: string }
  | { state: 'failed'; message: string };

/** More at once would only wait for each other. */
const AT_ONCE = 3;

export function canApply(action: BulkAction, run: Run): boolean {
  return action === 'abort' ? !isOver(run) : isOver(run);
}

/** A new run with the input and the options of this one. Secrets stay as they are stored, which the server takes back. */
async function rerun(id: string): Promise<string> {
  const { body: found } = await send<{ data: RunDetail }>(runRead(id).call);
  const { actId, options, defaultKeyValueStoreId, metamorphs } = found.data;
  // What it has become is another Actor with an input of its own.
  const key = metamorphs?.at(-1)?.inputKey ?? 'INPUT';
  const record = path`/key-value-stores/${defaultKeyValueStoreId}/records/${key}`;
  const input = await send<unknown>({ api: 'actors', path: record }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return { body: undefined };
    throw error;
  });
  const { body: started } = await send<{ data: Run }>({
    api: 'actors',
    method: 'POST',
    path: path`/actors/${actId}/runs`,
    query: { build: options.build, memory: options.memoryMbytes, timeout: options.timeoutSecs },
    ...(isInputObject(input.body) && {
      body: input.body,
      secretFields: Object.keys(takeOutSecrets(input.body).secrets),
    }),
  });
  return started.data.id;
}

/** Returns the id of the run that is to be looked at. */
async function apply(action: BulkAction, id: string): Promise<string | undefined> {
  if (action === 'rerun') return await rerun(id);
  await send(callOf(action, id));
  return action === 'delete' ? undefined : id;
}

function callOf(action: Exclude<BulkAction, 'rerun'>, id: string): Call {
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
      const runId = await apply(action, id);
      set(id, { state: 'done', ...(runId !== undefined && { runId }) });
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
  const changed = [...results.values()].flatMap((one) =>
    one.state === 'done' && one.runId !== undefined ? [one.runId] : [],
  );
  const states = [...results.values()].map(({ state }) => state);
  return {
    results,
    /** The runs to look at now. */
    changed,
    isBegun: states.length > 0,
    isDone: states.length > 0 && states.every((state) => state === 'done' || state === 'failed'),
    failures: states.filter((state) => state === 'failed').length,
    start: () => void start(),
  };
}
