// Lists access tokens with their last use, their calls by hour, and least policies by task. The flags API creates and changes them.
import { openToken } from '../../flags/tokens/access.ts';
import { tokenResource } from '../../flags/tokens/model.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { listMembersById } from '../../kernel/identity/store-members.ts';
import {
  listTokensBefore,
  type Token,
  type TokenFilter,
  type TokenPosition,
} from '../../kernel/identity/store-tokens.ts';
import { listTokenHours, TOKEN_HOURS_KEPT_DAYS } from '../../kernel/identity/token-uses/store.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { cursorPage } from '../cursor-page.ts';
import { parseTokenCursor, tokenCursor, TokenUsage, TokenUse, toTokenUse } from './model.ts';
import { TOKEN_TASKS, TokenTask } from './tasks.ts';

const DAY = 24 * 60 * 60 * 1000;
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
const DEFAULT_DAYS = 7;
/** Rows that are read at once, and for one page. */
const BATCH = 200;
const MOST_READ = 1000;

const listTokenUses = route(
  {
    id: 'listTokenUses',
    method: 'GET',
    path: '/tokens',
    summary: 'List access tokens with their last use, newest first',
    description:
      "One's own and all service tokens; everyone's with `all`, for those who may view them. A page may have fewer than its " +
      'limit, or none, though there are more: a search for rare ones goes on with `next`.',
    access: { action: 'viewAccessToken' },
    query: Type.Object({
      q: Type.Optional(PlainText({ maxLength: 100, description: 'A part of the name, or of the ending' })),
      all: Type.Boolean({ default: false }),
      limit: Type.Optional(
        Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) }),
      ),
      cursor: Type.Optional(PlainText({ maxLength: 100, description: '`next` of the page before' })),
    }),
    list: TokenUse,
  },
  async (call, { db }) => {
    const { caller, query } = call;
    if (!call.can('service-token/*')) call.requirePermission('member/me:token/*');
    const { found, next } = await searchTokens(db, call, {
      filter: query.all ? {} : { visibleTo: caller.member.id },
      words: query.q ?? '',
      limit: clampLimit(query.limit, DEFAULT_LIMIT, MAX_LIMIT),
      ...(query.cursor !== undefined && { from: parseTokenCursor(query.cursor) }),
    });
    const members = await listMembersById(db, [...new Set(found.map(({ memberId }) => memberId))]);
    const byId = new Map(members.map((member) => [member.id, member]));
    return cursorPage(
      found.map((token) => toTokenUse(call, token, byId.get(token.memberId))),
      next && tokenCursor(next),
    );
  },
);

interface TokenSearch {
  filter: TokenFilter;
  words: string;
  limit: number;
  from?: TokenPosition;
}

/** Reads on until the page is full, but only so far. */
async function searchTokens(
  db: Db,
  call: Pick<Call, 'can'> & { caller: KnownCaller },
  { filter, words, limit, from }: TokenSearch,
): Promise<{ found: Token[]; next?: TokenPosition }> {
  const wanted = foldCase(words);
  const isWanted = ({ name, ending }: Token) =>
    foldCase(name).includes(wanted) || foldCase(ending).includes(wanted);
  const found: Token[] = [];
  let position = from;
  for (let read = 0; read < MOST_READ; read += BATCH) {
    const batch = await listTokensBefore(db, filter, position, BATCH);
    const seen = new Set(
      await filterInSlices(batch, (token) => isWanted(token) && call.can(tokenResource(token, call.caller))),
    );
    for (const token of batch) {
      // Another one: the page ends before it.
      if (seen.has(token) && found.length === limit) return { found, next: position! };
      if (seen.has(token)) found.push(token);
      position = token;
    }
    if (batch.length < BATCH) return { found };
  }
  return { found, next: position! };
}

const getTokenUsage = route(
  {
    id: 'getTokenUsage',
    method: 'GET',
    path: '/tokens/{id}/usage',
    summary: 'Get the calls of an access token, by hour',
    description: `Hours without a call are absent. They are kept for ${TOKEN_HOURS_KEPT_DAYS} days; a call is counted some seconds after it.`,
    access: { action: 'viewAccessToken' },
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({
      since: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `Only hours that began then or later, in epoch milliseconds; those of the last ${DEFAULT_DAYS} days where it is absent`,
        }),
      ),
    }),
    reply: { 200: TokenUsage },
  },
  async (call, { db }) => {
    const { now, params, query } = call;
    const token = await openToken(call, db, params.id);
    const since = Math.max(query.since ?? now - DEFAULT_DAYS * DAY, now - TOKEN_HOURS_KEPT_DAYS * DAY);
    const hours = await listTokenHours(db, token.id, since);
    return { hours: hours.map(({ hour, ...counted }) => ({ at: hour, ...counted })) };
  },
);

const listTokenTasks = route(
  {
    id: 'listTokenTasks',
    method: 'GET',
    path: '/token-tasks',
    summary: 'List what tokens are made for, with the least policy for each',
    description:
      'Fill the parameters in braces, and create the token with the flags API: the statements are its `inlineRole`.',
    access: 'caller',
    list: TokenTask,
  },
  () => cursorPage([...TOKEN_TASKS]),
);

export const tokenUseRoutes = [listTokenUses, getTokenUsage, listTokenTasks];
