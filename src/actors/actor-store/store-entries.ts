// What public Actors are found by, written whenever an Actor, its default build or its owner changes.
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { wordsOf } from '../../kernel/storage/search.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Actor } from '../actors/model.ts';
import { findActorById } from '../actors/store.ts';
import { findTaggedBuild } from '../actors/store-tags.ts';
import { findReadme } from '../builds/store.ts';
import { summarizeReadme } from './model.ts';
import type { StoreActorRow } from './tables.ts';

/** The indexes take no word of thousands of letters. */
const MAX_WORD_LENGTH = 50;

/** Belongs into the transaction of the change. An Actor that is not public is taken out of the store. */
export async function saveStoreEntry(tx: Db, actor: Actor): Promise<void> {
  const { id } = actor;
  if (!actor.isPublic) {
    await deleteStoreEntry(tx, id);
    return;
  }
  const summary = summarizeReadme(await findDefaultReadme(tx, actor));
  const owner = await findAccount(tx, { id: actor.userId });
  const words = searchWordsOf(actor.name, actor.title, actor.description, owner?.username, summary);
  const categories = [...new Set(actor.details.categories ?? [])];
  if (await isUnchanged(tx, id, { words, summary, categories })) return;
  await deleteStoreEntry(tx, id);
  await tx.insertInto('store_actors').values({ actor_id: id, words, summary }).execute();
  if (categories.length === 0) return;
  await tx
    .insertInto('store_categories')
    .values(categories.map((category) => ({ category, actor_id: id })))
    .execute();
}

/** For an account whose Actors have a new owner. */
export async function saveStoreEntriesOf(tx: Db, userId: string): Promise<void> {
  const rows = await tx
    .selectFrom('actors')
    .select('id')
    .where('user_id', '=', userId)
    .where('is_public', '=', 1)
    .execute();
  for (const { id } of rows) {
    const actor = await findActorById(tx, id);
    if (actor !== undefined) await saveStoreEntry(tx, actor);
  }
}

/** A tag wins over a number, as for runs. */
async function findDefaultReadme(tx: Db, { id: actorId, runOptions }: Actor): Promise<string | null> {
  const tagged = await findTaggedBuild(tx, actorId, runOptions.build);
  return await findReadme(
    tx,
    tagged === undefined ? { actorId, buildNumber: runOptions.build } : { id: tagged },
  );
}

export function searchWordsOf(...texts: (string | null | undefined)[]): string {
  const words = wordsOf(...texts).split(' ');
  return [...new Set(words.map((word) => Array.from(word).slice(0, MAX_WORD_LENGTH).join('')))].join(' ');
}

async function isUnchanged(
  tx: Db,
  id: string,
  {
    words,
    summary,
    categories,
  }: Pick<StoreActorRow, 'words' | 'summary'> & { categories: readonly string[] },
): Promise<boolean> {
  const known = await tx
    .selectFrom('store_actors')
    .select(['words', 'summary'])
    .where('actor_id', '=', id)
    .executeTakeFirst();
  if (known?.words !== words || known.summary !== summary) return false;
  const rows = await tx
    .selectFrom('store_categories')
    .select('category')
    .where('actor_id', '=', id)
    .execute();
  return rows.length === categories.length && rows.every(({ category }) => categories.includes(category));
}

async function deleteStoreEntry(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('store_actors').where('actor_id', '=', id).execute();
  await tx.deleteFrom('store_categories').where('actor_id', '=', id).execute();
}
