// What the list learns of its rows after they are shown: lifecycle, usage, what is scheduled or waits, and what the reader may
// switch. Each cell listens for its own row, so that the rows are not drawn again as a whole.
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import type { FlagState } from '../../api/types/signalbox.ts';
import type { Question } from '../../app/me.ts';
import type { Flag } from '../flag.ts';
import type { Environment, Project } from '../queries.ts';
import { whenIdle } from './use-first-rows.ts';

export type Lifecycle = FlagState['lifecycle'];

interface RowFact {
  state?: FlagState;
  mayToggle?: boolean;
  /** Somebody else has changed it since it was read. */
  isChanged?: boolean;
}

class RowFacts {
  readonly #facts = new Map<string, RowFact>();
  readonly #listeners = new Map<string, Set<() => void>>();

  get(id: string): RowFact | undefined {
    return this.#facts.get(id);
  }

  set(id: string, fact: RowFact): void {
    this.#facts.set(id, { ...this.#facts.get(id), ...fact });
    for (const listener of this.#listeners.get(id) ?? []) listener();
  }

  listen(id: string, listener: () => void): () => void {
    const own = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, own.add(listener));
    return () => own.delete(listener);
  }
}

export const RowFactsContext = createContext(new RowFacts());

/** What is not about one environment. */
export const EVERYWHERE = '';

/** Undefined until it is known. */
export function useRowFact(environment: string, flag: string): RowFact | undefined {
  const facts = useContext(RowFactsContext);
  const id = idOf(environment, flag);
  return useSyncExternalStore(
    (listener) => facts.listen(id, listener),
    () => facts.get(id),
  );
}

/** Keys have no spaces. */
function idOf(environment: string, flag: string): string {
  return `${environment} ${flag}`;
}

/** As many as one call takes. */
const MAX_KEYS = 100;
const MAX_QUESTIONS = 200;
/** Marks of more columns than these would cost more than they say. */
const MAX_ENVIRONMENTS = 5;

export interface FactsQuery {
  project: Project | undefined;
  environments: readonly Environment[];
  rows: readonly Flag[];
  /** Keys of rows that somebody else has changed. */
  changed: ReadonlySet<string>;
}

/** Reads what is not known yet of these rows, and anew what belongs to a version that has passed. */
export function useRowFacts({ project, environments, rows, changed }: FactsQuery): RowFacts {
  const [facts] = useState(() => new RowFacts());
  const [versions] = useState(() => new Map<string, string>());
  const [asked] = useState(() => new Map<string, string>());
  useEffect(() => {
    if (project === undefined || rows.length === 0) return undefined;
    return whenIdle(() => {
      for (const environment of environments.slice(0, MAX_ENVIRONMENTS)) {
        const stale = takeStale(versions, environment, rows, ({ version }) => String(version));
        for (const part of chunk(stale, MAX_KEYS))
          void readStates(facts, versions, project, environment, part);
        const unasked = takeStale(asked, environment, rows, ({ tags }) => tags.join(','));
        for (const part of chunk(unasked, MAX_QUESTIONS))
          void readPermissions(facts, project, environment, part);
      }
    });
  }, [facts, versions, asked, project, environments, rows]);
  useEffect(() => {
    for (const key of changed) facts.set(idOf(EVERYWHERE, key), { isChanged: true });
    return () => {
      for (const key of changed) facts.set(idOf(EVERYWHERE, key), { isChanged: false });
    };
  }, [facts, changed]);
  return facts;
}

/** The rows whose mark is another than the last time; it is noted. */
function takeStale(
  marks: Map<string, string>,
  { key: environment }: Environment,
  rows: readonly Flag[],
  markOf: (flag: Flag) => string,
): Flag[] {
  return rows.filter((flag) => {
    const id = idOf(environment, flag.key);
    const mark = markOf(flag);
    if (marks.get(id) === mark) return false;
    marks.set(id, mark);
    return true;
  });
}

/** An answer about a version that has passed meanwhile comes too late. */
async function readStates(
  facts: RowFacts,
  versions: ReadonlyMap<string, string>,
  { key: project }: Project,
  { key: environment }: Environment,
  flags: readonly Flag[],
): Promise<void> {
  const call: Call = {
    api: 'signalbox',
    path: path`/projects/${project}/flag-states`,
    query: { environment, key: flags.map(({ key }) => key) },
  };
  const items = await readQuietly<{ items: FlagState[] }>(call);
  const asked = new Map(flags.map(({ key, version }) => [key, String(version)]));
  for (const state of items?.items ?? []) {
    const id = idOf(environment, state.key);
    if (versions.get(id) === asked.get(state.key)) facts.set(id, { state });
  }
}

/** Roles may allow flags by their keys and tags, so that each row has an answer of its own. */
async function readPermissions(
  facts: RowFacts,
  project: Project,
  environment: Environment,
  flags: readonly Flag[],
): Promise<void> {
  const questions = flags.map((flag) => toggleQuestion(project, environment, flag));
  const call: Call = { api: 'signalbox', method: 'POST', path: '/me/permissions', body: { questions } };
  const found = await readQuietly<{ answers: { isAllowed: boolean }[] }>(call);
  for (const [index, { isAllowed }] of (found?.answers ?? []).entries())
    facts.set(idOf(environment.key, flags[index]!.key), { mayToggle: isAllowed });
}

/** Without it the rows are still of use, and a call that is not allowed says so itself. */
async function readQuietly<Body>(call: Call): Promise<Body | undefined> {
  try {
    return (await send<Body>(call)).body;
  } catch {
    return undefined;
  }
}

interface Tagged {
  key: string;
  tags: readonly string[];
}

function toggleQuestion(project: Tagged, environment: Tagged, flag: Tagged): Question {
  const part = (type: string, { key, tags }: Tagged) =>
    tags.length === 0 ? `${type}/${key}` : `${type}/${key};${tags.join(',')}`;
  const parts = [part('proj', project), part('env', environment), part('flag', flag)];
  return { action: 'updateOn', resource: parts.join(':') };
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
