// A client that reads the results of flags for a context: its key, its context, and what it may see.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Context } from '../evaluation/context.ts';
import type { Environment } from '../projects/project.ts';
import {
  AUDIENCES,
  checkHash,
  isHashGood,
  openByClientId,
  openByMobileKey,
  type OpenedFeed,
} from './keys.ts';
import { checkFilter, PayloadFilter } from './sdk-request.ts';
import type { EvaluationOptions } from './render-results.ts';

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
  readContext: () => Context,
): Promise<OpenedClient> {
  const opened = await openByClientId(kernel, call.params.environmentId, call);
  return readBrowser(call, kernel, opened, readContext);
}

/** In secure mode the context must come with its hash. */
export function readBrowser(
  call: ClientCall,
  kernel: Kernel,
  opened: OpenedFeed,
  readContext: () => Context,
): OpenedClient {
  const client = readClient(call, kernel, opened, readContext);
  const { context } = client.reader;
  const { h } = call.query;
  checkHash(opened.feed.environment, context, h, call.now);
  return { ...client, isAccepted: (environment, now) => isHashGood(environment, context, h, now) };
}

export async function openMobile(
  call: ClientCall,
  kernel: Kernel,
  readContext: () => Context,
): Promise<OpenedClient> {
  return readClient(call, kernel, await openByMobileKey(kernel, call), readContext);
}

/** By a client-side ID in the query, as browsers cannot send headers with a stream; or by a mobile key in the header. */
export async function openBrowserOrMobile(
  { headers, now, query }: ClientCall & { query: { auth?: string } },
  kernel: Kernel,
  readContext: () => Context,
): Promise<OpenedClient> {
  const { auth } = query;
  return auth === undefined || auth === ''
    ? await openMobile({ headers, now, query }, kernel, readContext)
    : await openBrowser({ headers, now, query, params: { environmentId: auth } }, kernel, readContext);
}

export function readClient(
  { query }: ClientCall,
  { db }: Kernel,
  opened: OpenedFeed,
  readContext: () => Context,
): OpenedClient {
  checkFilter(query);
  const audience = AUDIENCES[opened.kind];
  return {
    ...opened,
    reader: { context: readContext(), audience, withReasons: query.withReasons ?? false, db },
  };
}
