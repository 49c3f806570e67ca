// The person who is logged in, what they prefer, and what they may do.
import type { Call } from '../api/call.ts';
import { send } from '../api/client.ts';
import { keyOf, prefetch, queries, useRead } from '../api/read.ts';
import type { Me, PreferencePatch, Preferences } from '../api/types/signalbox.ts';

/** The query of a list, with the name that somebody gave it. */
export type SavedView = NonNullable<Preferences['views']>[string][number];

const ME: Call = { api: 'signalbox', path: '/me' };
const PREFERENCES: Call = { api: 'signalbox', path: '/me/preferences' };

const OWN_READS = [{ call: ME, topics: ['member'] }, { call: PREFERENCES }] as const;

/** What every page waits for is asked for while the first is still being drawn. */
export function prefetchMe(): void {
  for (const read of OWN_READS) prefetch(read);
}

export function useMe() {
  return useRead<Me>(OWN_READS[0]);
}

export function usePreferences(): Preferences {
  return useKnownPreferences() ?? {};
}

/** Undefined while they are read. Where they cannot be read, nothing is preferred. */
export function useKnownPreferences(): Preferences | undefined {
  const { data, isError } = useRead<Preferences>(OWN_READS[1]);
  return data ?? (isError ? NOTHING : undefined);
}

const NOTHING: Preferences = {};

let saves = 0;
let saving: Promise<unknown> = Promise.resolve();

/** Shown at once, since a further click takes it back. They are sent one after the other, and the answer to the last one holds. */
export function savePreferences(change: PreferencePatch | ((present: Preferences) => PreferencePatch)): void {
  const queryKey = keyOf(PREFERENCES);
  saves += 1;
  const own = saves;
  const before = queries.getQueryData<Preferences>(queryKey) ?? NOTHING;
  const patch = typeof change === 'function' ? change(before) : change;
  queries.setQueryData<Preferences>(
    queryKey,
    Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null)),
  );
  saving = saving
    .then(() => send<Preferences>({ ...PREFERENCES, method: 'PATCH', body: patch, outlivesPage: true }))
    .then(({ body }) => own === saves && queries.setQueryData(queryKey, body))
    .catch(() => queries.invalidateQueries({ queryKey }));
}

export interface Question {
  action: string;
  resource: string;
}

/** In the order of the questions; undefined while it is not known. */
export function useMay(questions: readonly Question[]): readonly boolean[] | undefined {
  const call: Call = { api: 'signalbox', method: 'POST', path: '/me/permissions', body: { questions } };
  const { data } = useRead<{ answers: { isAllowed: boolean }[] }>({ call, topics: ['role', 'member'] });
  return data?.answers.map(({ isAllowed }) => isAllowed);
}
