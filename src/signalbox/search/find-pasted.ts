// Finds what a pasted text names, where the caller may see it.
import { findActor } from '../../actors/actors/store.ts';
import { couldBeKey } from '../../flags/fields.ts';
import { findOwner } from '../../host/owners/store.ts';
import { findIssue } from '../../host/issues/store.ts';
import { findRepositoryByName } from '../../host/repositories/store.ts';
import { isGistId } from '../../host/gists/gist.ts';
import { searchByTerms } from '../../kernel/storage/search.ts';
import { showBuild, showRuns } from './job-items.ts';
import type { FoundItem } from './model.ts';
import { parsePasted, type Pasted } from './pasted.ts';
import type { Searcher } from './source.ts';
import { SEARCH_SOURCES } from './sources.ts';
import { findFlagIds } from './store-pasted.ts';
import { listEntryIds, SEARCHED } from './store.ts';
import { parseQuery, stagesOf } from './terms.ts';

/** Guesses beyond it are not looked for. */
const MAX_GUESSES = 8;
const MAX_TOKENS = 20;

export async function findPasted(searcher: Searcher, text: string): Promise<FoundItem[]> {
  const found = new Map<string, FoundItem>();
  for (const guess of parsePasted(text).slice(0, MAX_GUESSES))
    for (const item of await findGuess(searcher, guess)) found.set(`${item.kind} ${item.id}`, item);
  return [...found.values()];
}

async function findGuess(searcher: Searcher, guess: Pasted): Promise<FoundItem[]> {
  const { db, accountId } = searcher;
  if (guess.what === 'id') return await findById(searcher, guess.id);
  if (guess.what === 'token') return await findTokens(searcher, guess.ending);
  if ('project' in guess) {
    const { what, project, key } = guess;
    if (!couldBeKey(project) || !couldBeKey(key)) return [];
    return await show(searcher, what, await findFlagIds(db, what, project, key));
  }
  if (guess.what === 'actor') {
    const actor = await findActor(db, { owner: guess.owner, name: guess.name }, accountId);
    return await show(searcher, 'actor', actor === undefined ? [] : [actor.id]);
  }
  const owner = await findOwner(db, guess.owner);
  const repository = owner && (await findRepositoryByName(db, owner, guess.name));
  if (repository === undefined) return [];
  if (guess.what === 'repository') return await show(searcher, 'repository', [`${repository.number}`]);
  const issue = await findIssue(db, repository.number, guess.number);
  return await show(searcher, 'issue', issue === undefined ? [] : [`${issue.id}`]);
}

async function findById(searcher: Searcher, given: string): Promise<FoundItem[]> {
  const id = given.toLowerCase();
  if (isGistId(id)) return await show(searcher, 'gist', [id]);
  const found = await Promise.all([
    showRuns(searcher, [id]),
    showBuild(searcher, id),
    ...[
      'storage',
      'actor',
      'task',
      'schedule',
      'flag',
      'segment',
      'project',
      'environment',
      'member',
      'team',
      'token',
    ].map((source) => show(searcher, source, [id])),
  ]);
  return found.flat();
}

async function show(searcher: Searcher, name: string, ids: readonly string[]): Promise<FoundItem[]> {
  if (ids.length === 0) return [];
  const source = SEARCH_SOURCES.get(name)!;
  const records = await source.read(searcher.db, ids);
  return records.length === 0 ? [] : await source.show(searcher, records, true);
}

/** Several may end alike. */
async function findTokens(searcher: Searcher, ending: string): Promise<FoundItem[]> {
  const scopes = SEARCH_SOURCES.get('token')!.scopesOf?.(searcher);
  const [whole] = stagesOf(parseQuery(ending), { kind: 'token', scopes });
  const numbers = await searchByTerms(searcher.kernel.engine, SEARCHED, whole!, MAX_TOKENS);
  const source = SEARCH_SOURCES.get('token')!;
  const ids = await listEntryIds(searcher.db, numbers);
  const records = ids.length === 0 ? [] : await source.read(searcher.db, ids);
  return await source.show(
    searcher,
    records.filter(({ key }) => key === ending),
    false,
  );
}
