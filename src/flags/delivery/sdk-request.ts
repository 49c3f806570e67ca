// Requests of SDKs: the payload filter and the context that they name, and the client that reads the results for its context, with its key and what it may see.
import { Failure } from '../../kernel/failure.ts';
import { readContext, type Context } from '../evaluation/context.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Environment } from '../projects/project.ts';
import {
  AUDIENCES,
  checkHash,
  isHashGood,
  openByClientId,
  openByMobileKey,
  type OpenedFeed,
} from './keys.ts';
import type { EvaluationOptions } from './render-results.ts';

export const PayloadFilter = {
  filter: Type.Optional(Type.String({ description: 'The key of a payload filter' })),
};

/** No environment has a filter: an SDK that asks for one must not get everything instead. */
export function checkFilter({ filter }: { filter?: string } = {}): void {
  if (filter !== undefined && filter !== '')
    throw new Failure('not-found', `There is no payload filter ${JSON.stringify(filter)}.`);
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readContextPath(text: string): Context {
  return readContext(readJson(text));
}

function readJson(text: string): unknown {
  if (!BASE64.test(text)) throw broken();
  try {
    return JSON.parse(utf8.decode(Buffer.from(text, 'base64')));
  } catch {
    throw broken();
  }
}

function broken(): Failure {
  return new Failure('malformed', 'The context in the path must be JSON in Base64.');
}

export interface ClientReader extends EvaluationOptions {
  context: Context;
  /** Memberships in big segments are looked up for each context. */
  db: Db;
}

export interface OpenedClient extends OpenedFeed {
  reader: ClientReader;
  /** Whether a stream may go on after the environment has changed, beside its key. */
  isAccepted?(environment: Environment, now: number): boolean;
}

const WithReasons = Type.Optional(Type.Boolean({ description: 'Whether to say why each has its value' }));

export const ResultsQuery = Type.Object({ withReasons: WithReasons, ...PayloadFilter });
export const BrowserQuery = Type.Object({
  ...ResultsQuery.properties,
  h: Type.Optional(Type.String({ description: 'The hash of the context, in secure mode' })),
});

export type ClientCall = Pick<Call, 'headers' | 'now'> & {
  query: { withReasons?: boolean; filter?: string; h?: string };
};

/** By the client-side ID in the path. */
export async function openBrowser(
  call: ClientCall & { params: { environmentId: string } },
  kernel: Kernel,
  contextOf: () => Context,
): Promise<OpenedClient> {
  const opened = await openByClientId(kernel, call.params.environmentId, call);
  return readBrowser(call, kernel, opened, contextOf);
}

/** In secure mode the context must come with its hash. */
export function readBrowser(
  call: ClientCall,
  kernel: Kernel,
  opened: OpenedFeed,
  contextOf: () => Context,
): OpenedClient {
  const client = readClient(call, kernel, opened, contextOf);
  const { context } = client.reader;
  const { h } = call.query;
  checkHash(opened.feed.environment, context, h, call.now);
  return { ...client, isAccepted: (environment, now) => isHashGood(environment, context, h, now) };
}

export async function openMobile(
  call: ClientCall,
  kernel: Kernel,
  contextOf: () => Context,
): Promise<OpenedClient> {
  return readClient(call, kernel, await openByMobileKey(kernel, call), contextOf);
}

/** By a client-side ID in the query, as browsers cannot send headers with a stream; or by a mobile key in the header. */
export async function openBrowserOrMobile(
  { headers, now, query }: ClientCall & { query: { auth?: string } },
  kernel: Kernel,
  contextOf: () => Context,
): Promise<OpenedClient> {
  const { auth } = query;
  return auth === undefined || auth === ''
    ? await openMobile({ headers, now, query }, kernel, contextOf)
    : await openBrowser({ headers, now, query, params: { environmentId: auth } }, kernel, contextOf);
}

export function readClient(
  { query }: ClientCall,
  { db }: Kernel,
  opened: OpenedFeed,
  contextOf: () => Context,
): OpenedClient {
  checkFilter(query);
  const audience = AUDIENCES[opened.kind];
  return {
    ...opened,
    reader: { context: contextOf(), audience, withReasons: query.withReasons ?? false, db },
  };
}
