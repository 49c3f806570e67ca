// What protocols of the flag service share: bodies are JSON; environment keys open the APIs for apps, which have no rate limits, because every app polls.
import type { ApiProtocol } from '../kernel/http/protocol.ts';
import { Failure } from '../kernel/failure.ts';
import { Collection, toCollection } from './links.ts';
import { parseMediaType } from '../kernel/http/body/media-type.ts';

/** Semantic patches have the same type with a parameter. */
export function requireJson(type: string | undefined): void {
  if (parseMediaType(type ?? '')?.type === 'application/json') return;
  throw new Failure('malformed', `The Content-Type must be application/json, not ${type ?? 'absent'}`);
}

/** There is only one: the path determines the shape of the response. */
const VERSION = '1';

export const KEY_PROTOCOL = {
  // Environment keys are no tokens: each route checks the kind of key it takes.
  credentialOf: () => undefined,
  page: { render: (page, context) => ({ body: toCollection(page, context) }), schema: Collection },
  versions: { names: [VERSION], changes: [] },
  versionOf: () => VERSION,
  versionHeaders: () => ({}),
  limits: {
    quotas: {},
    categoriesOf: () => [],
    headers: () => ({}),
    exceeded: () => new Failure('exhausted', 'Try again later.'),
  },
  // For contexts. Events are streamed, with a limit of their own.
  bodyLimit: 64 * 1024,
  checkContentType: requireJson,
} satisfies Partial<ApiProtocol>;
