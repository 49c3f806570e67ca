// A part of an API declares its routes, tables and background work in one object. An API is a dialect and a list of parts.
import type { ChangeTransaction, Subscriber } from './change/changes.ts';
import type { Api, DemoCalls, Dialect, DispatchPort, Hooks, BackgroundWork } from './http/protocol.ts';
import type { RoleStatements } from './identity/base-roles.ts';
import type { BoundaryUser } from './identity/store-boundaries.ts';
import type { EndMember, HandOver } from './identity/store-accounts.ts';
import type { StopReason } from './jobs/due-worker.ts';
import type { Kernel } from './kernel.ts';
import type { PageRoute } from './http/pages/page-route.ts';
import type { RawRoute } from './http/raw-route.ts';
import { parametersOf, restOf } from './http/path-template.ts';
import { placesOf, type Route, type RouteShape } from './http/route.ts';
import type { JsonSchema } from './schema/schema.ts';
import type { Migration } from './storage/migrate.ts';
import type { BlobKind } from './storage/blobs/orphan-blobs.ts';
import type { Db } from './storage/tables.ts';

/** A heading in the description of an API, below which the routes of a part stand. */
export interface Tag {
  name: string;
  description: string;
}

export interface Part {
  /** For a part with routes that are described. */
  tag?: Tag;
  routes?: readonly Route[];
  /** Paths outside of the API's prefixes, whose replies are not described. */
  rawRoutes?: readonly RawRoute[];
  /** Pages for people, at the paths of the server. */
  pages?: readonly PageRoute[];
  migrations?: readonly Migration[];
  /** Its blobs, so that those that a crash leaves behind are found. */
  blobKinds?: readonly BlobKind[];
  /** Its tables whose column `boundary_id` refers to a stored permission boundary. */
  boundaryUsers?: readonly BoundaryUser[];
  /** Policy statements of the base roles for its resources, beside the kernel's general ones. */
  roleStatements?: readonly RoleStatements[];
  /** Creates the initial content, where it is missing: at every start, in the transaction that creates the administrator. */
  firstStart?(on: ChangeTransaction): Promise<void>;
  /** Creates the example content. */
  demo?(kernel: Kernel): DemoCalls;
  /** Gives everything that an account owns in this part to another, when the account is deleted. */
  handOver?: HandOver;
  /** Ends what must not outlive a member who is removed, where statements of a subscriber do not suffice. */
  endMember?: EndMember;
  /** The other accounts whose audit entries an account may see, such as organizations that it owns. */
  auditedAccounts?(db: Db, accountId: string): Promise<string[]>;
  /** Its background work. */
  work?(kernel: Kernel): BackgroundWork;
  /** Ends replies that stay open by themselves, when the server begins to stop. */
  endStreams?(kernel: Kernel): void;
  /** Starts what goes on for as long as the server does background work, beside due work. */
  start?(kernel: Kernel, api: Api): Promise<{ stop(reason?: StopReason): Promise<void> }>;
  /** Saves counters from memory, after the last call and before the database is closed. */
  close?(kernel: Kernel): Promise<void>;
  /** The receivers of the API's webhooks; at most one part may have them. */
  hooks?: Hooks;
  /** Sends the API's webhooks, where they are independent dispatches; at most one part may do so. */
  dispatches?(kernel: Kernel): DispatchPort;
  /** Subscribers to configuration changes; created anew for each server and command. */
  subscribers?(): readonly Subscriber[];
}

/** Migrations run in the order of the parts: a table must come before those that reference it. */
export function apiOf(dialect: Dialect, parts: readonly Part[]): Api {
  const routes = parts.flatMap((part) => part.routes ?? []);
  refuseTwice(
    'operation id',
    routes.map(({ shape }) => shape.id),
  );
  refuseTwice(
    'route',
    routes
      .flatMap(({ shape }) => placesOf(shape, dialect.pathAliases))
      .filter(({ isEmptyRest }) => isEmptyRest !== true)
      .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+(?:\.{3})?\}/g, '{}')}`),
  );
  for (const { shape } of routes) checkPathAliases(shape, dialect);
  const hooks = parts.flatMap((part) => part.hooks ?? []);
  if (hooks.length > 1) throw new Error(`Two parts of ${dialect.name} receive its webhooks.`);
  const dispatching = parts.filter((part) => part.dispatches !== undefined);
  if (dispatching.length > 1) throw new Error(`Two parts of ${dialect.name} send its webhooks.`);
  const api: Api = {
    dialect,
    routes,
    rawRoutes: parts.flatMap((part) => part.rawRoutes ?? []),
    pages: parts.flatMap((part) => part.pages ?? []),
    tags: joinTags(parts),
    migrations: parts.flatMap((part) => part.migrations ?? []),
    blobKinds: parts.flatMap((part) => part.blobKinds ?? []),
    boundaryUsers: parts.flatMap((part) => part.boundaryUsers ?? []),
    roleStatements: parts.flatMap((part) => part.roleStatements ?? []),
    subscribers: () => parts.flatMap((part) => part.subscribers?.() ?? []),
    ...(hooks[0] && { hooks: hooks[0] }),
    ...(dispatching[0] && { dispatches: (kernel) => dispatching[0]!.dispatches!(kernel) }),
    async firstStart(on) {
      for (const part of parts) await part.firstStart?.(on);
    },
    async *demo(kernel) {
      for (const part of parts) if (part.demo !== undefined) yield* part.demo(kernel);
    },
    async handOver(on, from, to) {
      for (const part of parts) await part.handOver?.(on, from, to);
    },
    async endMember(on, member) {
      for (const part of parts) await part.endMember?.(on, member);
    },
    async auditedAccounts(db, accountId) {
      const found: string[] = [];
      for (const part of parts) found.push(...((await part.auditedAccounts?.(db, accountId)) ?? []));
      return found;
    },
    work: (kernel) => joinWork(parts.map((part) => part.work?.(kernel) ?? {})),
    endStreams(kernel) {
      for (const part of parts) part.endStreams?.(kernel);
    },
    async start(kernel) {
      const started: { stop(reason?: StopReason): Promise<void> }[] = [];
      for (const part of parts) {
        const one = await part.start?.(kernel, api);
        if (one !== undefined) started.unshift(one);
      }
      return {
        async stop(reason) {
          for (const one of started) await one.stop(reason);
        },
      };
    },
    async close(kernel) {
      for (const part of parts) await part.close?.(kernel);
    },
  };
  return api;
}

/** Validation would remove a parameter that the schema does not have, and refuse a call without one that it requires. */
function checkPathAliases(shape: RouteShape, { pathAliases }: Dialect): void {
  if (shape.params === undefined) return;
  const { properties = {}, required = [] } = shape.params as JsonSchema;
  for (const { path } of placesOf({ ...shape, aliases: [] }, pathAliases)) {
    const there = new Set(parametersOf(path)).add(restOf(shape.path) ?? '');
    const missing = [...there].find((name) => name !== '' && properties[name] === undefined);
    if (missing !== undefined) throw new Error(`${shape.id} does not declare {${missing}} of ${path}`);
    const absent = required.find((name) => !there.has(name));
    if (absent !== undefined)
      throw new Error(`${shape.id} requires {${absent}}, which ${path} does not have`);
  }
}

/** Refuses two handlers of the same kind: each would claim the other's rows. */
export function joinWork(works: readonly BackgroundWork[]): Required<BackgroundWork> {
  const recurring = works.flatMap((work) => work.recurring ?? []);
  const handlers = works.map((work) => work.handlers ?? {});
  refuseTwice('kind of work', [
    ...handlers.flatMap((some) => Object.keys(some)),
    ...recurring.map(({ kind }) => kind),
  ]);
  return { handlers: Object.assign({}, ...handlers) as Required<BackgroundWork>['handlers'], recurring };
}

/** By the ids of the operations below them. */
function joinTags(parts: readonly Part[]): Map<string, Tag> {
  const tags = parts.flatMap(({ tag, routes = [] }) =>
    tag === undefined ? [] : routes.map(({ shape }): [string, Tag] => [shape.id, tag]),
  );
  refuseTwice(
    'tag',
    [...new Set(tags.map(([, tag]) => tag))].map(({ name }) => name),
  );
  return new Map(tags);
}

function refuseTwice(what: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Error(`Two parts have the same ${what}: ${name}`);
    seen.add(name);
  }
}
