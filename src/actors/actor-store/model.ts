// The store as the API shows it: public Actors of all accounts, with the beginnings of their READMEs.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { ActorStats, toStats, type Actor, type ActorCounts, type RecentUsers } from '../actors/model.ts';
import { LIST_QUERY } from '../list-query.ts';

export const STORE_SORTS = ['relevance', 'popularity', 'newest', 'lastUpdate'] as const;
export type StoreSort = (typeof STORE_SORTS)[number];

const PRICING_MODELS = ['FREE', 'FLAT_PRICE_PER_MONTH', 'PRICE_PER_DATASET_ITEM', 'PAY_PER_EVENT'] as const;

/** A search or a filter looks at so many Actors at most, so that its cost has a limit. */
export const MAX_MATCHES = 1000;

/** Longer descriptions are cut: a list may have a thousand of them. */
export const MAX_DESCRIPTION_LENGTH = 1000;

const ACCEPTED = 'Accepted for clients: it changes nothing here';

export const StoreQuery = Type.Object({
  limit: LIST_QUERY.properties.limit,
  offset: LIST_QUERY.properties.offset,
  search: Type.Optional(
    PlainText({
      maxLength: 1000,
      description: 'Words, or beginnings of words, of name, title, description, username and README',
    }),
  ),
  sortBy: OneOf(STORE_SORTS, {
    default: 'relevance',
    description: 'Without a search, relevance is popularity: the number of runs',
  }),
  category: Type.Optional(PlainText({ maxLength: 100 })),
  username: Type.Optional(PlainText({ maxLength: 100 })),
  pricingModel: Type.Optional(
    OneOf(PRICING_MODELS, { description: 'All Actors here are free: for other models the list is empty' }),
  ),
  responseFormat: Type.Optional(PlainText({ maxLength: 100, description: ACCEPTED })),
  includeUnrunnableActors: Type.Optional(Type.Boolean({ description: ACCEPTED })),
  allowsAgenticUsers: Type.Optional(Type.Boolean({ description: ACCEPTED })),
});

export const StoreListActor = Type.Object(
  {
    id: Type.String(),
    title: Type.String({ description: 'The name where the Actor has none' }),
    name: Type.String(),
    username: Type.String(),
    userFullName: Nullable(Type.String()),
    description: Nullable(Type.String({ description: `Its first ${MAX_DESCRIPTION_LENGTH} characters` })),
    categories: Type.Array(Type.String()),
    notice: OneOf(['NONE']),
    pictureUrl: Nullable(Type.String()),
    userPictureUrl: Nullable(Type.String()),
    url: Type.String({ description: 'The Actor in this API' }),
    stats: ActorStats,
    currentPricingInfo: Type.Object({ pricingModel: OneOf(['FREE']) }),
    isWhiteListedForAgenticPayments: Type.Boolean(),
    actorReviewCount: Type.Integer(),
    actorReviewRating: Type.Number(),
    bookmarkCount: Type.Integer(),
    badge: Nullable(Type.String()),
    readmeSummary: Type.Optional(Type.String({ description: 'How the README begins' })),
  },
  { $id: 'StoreListActor' },
);

export type ListedActor = Pick<Actor, 'id' | 'userId' | 'name' | 'title' | 'description'> &
  ActorCounts & { categories: string[]; summary: string | null };

export interface ActorOwner {
  username: string;
  fullName: string | null;
}

export function toStoreListActor(
  actor: ListedActor,
  { username, fullName }: ActorOwner,
  users: RecentUsers,
  base: string,
): Static<typeof StoreListActor> {
  const { id, name, title, description, categories, summary } = actor;
  return {
    id,
    title: title === null || title === '' ? name : title,
    name,
    username,
    userFullName: fullName,
    description,
    categories,
    notice: 'NONE',
    pictureUrl: null,
    userPictureUrl: null,
    url: `${base}/actors/${username}~${name}`,
    stats: toStats(actor, users),
    currentPricingInfo: { pricingModel: 'FREE' },
    isWhiteListedForAgenticPayments: false,
    actorReviewCount: 0,
    actorReviewRating: 0,
    bookmarkCount: 0,
    badge: null,
    ...(summary !== null && { readmeSummary: summary }),
  };
}

const MAX_SUMMARY_LENGTH = 300;
/** A summary is at the beginning, and a README may have a megabyte. */
const MAX_SUMMARIZED_LENGTH = 4000;

/** The first paragraph that is text: no heading, picture, list, table or code. Null where there is none. */
export function summarizeReadme(readme: string | null): string | null {
  if (readme === null) return null;
  const text = readme
    .slice(0, MAX_SUMMARIZED_LENGTH)
    .replaceAll(/^(```|~~~)[^]*?(?:^\1|$(?![^]))/gm, '')
    .replaceAll('\r', '')
    // Titles that are underlined.
    .replaceAll(/^.*\n(?:={2,}|-{2,})[ \t]*$/gm, '');
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    const lines = paragraph.split('\n').filter((line) => !/^\s*#/.test(line));
    const plain = plainTextOf(lines.join(' '));
    if (plain !== '' && !/^\s*(?:[-*+]\s|[|>!<]|\d+\.\s)/.test(lines[0]!)) return shorten(plain);
  }
  return null;
}

function plainTextOf(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]{0,200}\]\([^)]{0,300}\)/g, '')
    .replaceAll(/\[([^\]]{0,200})\]\([^)]{0,300}\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function shorten(text: string): string {
  if (text.length <= MAX_SUMMARY_LENGTH) return text;
  const cut = text.slice(0, MAX_SUMMARY_LENGTH - 1);
  const end = cut.lastIndexOf(' ');
  return `${(end > MAX_SUMMARY_LENGTH / 2 ? cut.slice(0, end) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
