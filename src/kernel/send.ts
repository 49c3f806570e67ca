// Puts a reply on the wire: the body in its version and envelope, the headers of the dialect, conditional requests, errors.
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { CallFacts, Dialect, Headers } from './dialect.ts';
import { routeEdition, type RouteEdition } from './edition.ts';
import type { Failure } from './failure.ts';
import type { Kernel } from './kernel.ts';
import type { Page } from './page.ts';
import type { Reply, Shape, Text } from './route.ts';

export type Sender = ReturnType<typeof sender>;

/** Everything about putting a reply on the wire in one dialect. */
export function sender(dialect: Dialect, kernel: Kernel) {
  const { cors, limits } = dialect;
  const editions = new Map<Shape, Map<string, RouteEdition>>();
  const corsHeaders: Headers =
    cors.exposeHeaders === undefined ? {} : { 'access-control-expose-headers': cors.exposeHeaders };

  const fixedHeaders = (version: string, shape: Shape | undefined): Headers => ({
    ...dialect.headers,
    ...corsHeaders,
    ...dialect.versionHeaders(version, shape, kernel.publicUrl),
  });

  function edition(shape: Shape, version: string): RouteEdition {
    let versions = editions.get(shape);
    if (versions === undefined) editions.set(shape, (versions = new Map()));
    let known = versions.get(version);
    if (known === undefined) {
      known = routeEdition(shape, version, dialect, fixedHeaders(version, shape));
      versions.set(version, known);
    }
    return known;
  }

  function put(
    reply: FastifyReply,
    facts: CallFacts,
    status: number,
    fixed: Headers,
    own: Headers,
    text: string | undefined,
  ) {
    const { origin } = facts.headers;
    const headers: Headers = {
      ...fixed,
      'access-control-allow-origin': cors.origin === 'echo' ? (origin ?? '*') : '*',
    };
    if (kernel.limits.enabled && facts.counters.length > 0)
      Object.assign(headers, limits.headers(facts.counters, facts.now));
    if (dialect.callHeaders !== undefined) Object.assign(headers, dialect.callHeaders(facts));
    Object.assign(headers, own);
    reply.code(status).headers(headers).send(text);
  }

  function good(
    reply: FastifyReply,
    facts: CallFacts,
    { headers: fixed }: RouteEdition,
    status: number,
    own: Headers,
    text: string,
  ) {
    if (!dialect.conditional || status !== 200 || (facts.method !== 'GET' && facts.method !== 'HEAD')) {
      return put(reply, facts, status, fixed, own, text);
    }
    const etag = `"${hash('sha1', text, 'hex')}"`;
    const headers = { ...own, etag };
    if (!isUnchanged(facts, etag, own['last-modified']))
      return put(reply, facts, status, fixed, headers, text);
    refund(facts, kernel);
    return put(reply, facts, 304, fixed, headers, undefined);
  }

  return {
    edition,
    body(reply: FastifyReply, facts: CallFacts, version: RouteEdition, { status, body, headers }: Reply) {
      if (body === undefined) return put(reply, facts, status, version.headers, headers, undefined);
      const descend = version.descend[status];
      const told = descend === undefined ? body : descend(body);
      good(
        reply,
        facts,
        version,
        status,
        headers,
        JSON.stringify(dialect.wrap === undefined ? told : dialect.wrap.body(told)),
      );
    },
    page(reply: FastifyReply, facts: CallFacts, version: RouteEdition, page: Page) {
      const { descendItem } = version;
      const spelled = dialect.page.spell(descendItem === undefined ? page : page.map(descendItem), facts);
      const told = dialect.wrap === undefined ? spelled.body : dialect.wrap.body(spelled.body);
      good(reply, facts, version, 200, joinLinks(version.headers, spelled.headers), JSON.stringify(told));
    },
    text(reply: FastifyReply, facts: CallFacts, version: RouteEdition, { type, text }: Text) {
      good(reply, facts, version, 200, { 'content-type': type }, text);
    },
    preflight(reply: FastifyReply, facts: CallFacts, allow: string) {
      put(
        reply,
        facts,
        204,
        fixedHeaders(facts.version, facts.shape),
        {
          allow,
          'access-control-allow-headers': cors.allowHeaders,
          'access-control-allow-methods': cors.allowMethods,
          'access-control-max-age': String(cors.maxAge),
        },
        undefined,
      );
    },
    failure(reply: FastifyReply, facts: CallFacts, failure: Failure, cause: unknown) {
      const status = dialect.status[failure.kind];
      const line = {
        call: facts.id,
        api: dialect.name,
        route: facts.shape?.id,
        status,
        failure: failure.kind,
      };
      if (failure.kind === 'internal' || failure.kind === 'unavailable')
        kernel.log.error({ ...line, err: cause }, failure.message);
      else kernel.log.info(line, failure.message);
      const fixed = fixedHeaders(facts.version, facts.shape);
      put(
        reply,
        facts,
        status,
        fixed,
        failure.details.headers ?? {},
        JSON.stringify(dialect.spell(failure, facts)),
      );
    },
  };
}

/** A page's own Link goes after the one that tells of deprecation. */
function joinLinks(fixed: Headers, own: Headers = {}): Headers {
  return fixed['link'] !== undefined && own['link'] !== undefined
    ? { ...own, link: `${own['link']}, ${fixed['link']}` }
    : own;
}

function isUnchanged({ headers }: CallFacts, etag: string, lastModified: string | undefined): boolean {
  const wanted = headers['if-none-match'];
  if (wanted !== undefined) {
    return wanted === '*' || wanted.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return lastModified !== undefined && Date.parse(lastModified) <= since;
}

/** Asking whether something changed costs nothing when it did not, for callers who say who they are. */
function refund(facts: CallFacts, kernel: Kernel): void {
  if (facts.caller === undefined || facts.caller.kind === 'anonymous' || facts.shape?.charge !== undefined)
    return;
  const { caller } = facts;
  for (const counted of facts.counters)
    counted.counter = kernel.limits.refund(counted.category, caller, facts.now);
}
