// A module of an API declares its routes, tables and background work in one object. An API is a protocol and a list of modules.
import type { ChangeTransaction, Subscriber } from '../change/changes.ts';
import type { Api, DemoCalls, DemoPart, ApiProtocol, BackgroundWork } from './protocol.ts';
import type { RoleStatements } from '../identity/role-policies.ts';
import type { BoundaryUser } from '../identity/store-boundaries.ts';
import type { EndMember, TransferOwnership } from '../identity/store-accounts.ts';
import type { StopReason } from '../jobs/due-worker.ts';
import type { Kernel } from '../kernel.ts';
import type { PageRoute } from './pages/page-route.ts';
import type { RawRoute } from './raw-route.ts';
import { parametersOf, placesOf, restOf } from './path-template.ts';
import type { Route, RouteShape } from './route.ts';
import type { SealedColumn } from '../secrets/store-keyring.ts';
import type { JsonSchema } from '../schema/schema.ts';
import type { Migration } from '../storage/migrate.ts';
import type { BlobKind } from '../storage/blobs/orphan-blobs.ts';
import type { Db } from '../storage/tables.ts';
import type { DeliveryPolicy } from '../webhooks/policy.ts';

/** A heading in the description of an API, below which the routes of a module stand. */
export interface Tag {
  name: string;
  description: string;
}

export interface Module {
  /** For a module with routes that are described. */
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
  /** Its columns with texts of `secrets.seal`, so that they get a new key. */
  sealedColumns?: readonly SealedColumn[];
  /** Policy statements of the base roles for its resources, beside the kernel's general ones. */
  roleStatements?: readonly RoleStatements[];
  /** Creates the initial content, where it is missing: at every start, in the transaction that creates the administrator. */
  firstStart?(tx: ChangeTransaction): Promise<void>;
  /** Creates the example content. */
  demo?(kernel: Kernel): DemoCalls;
  /** Deletes the example content, as far as it is there. */
  removeDemo?(kernel: Kernel): DemoCalls;
  /** What is there of the example content, or has its names. */
  demoParts?(kernel: Kernel): Promise<DemoPart[]>;
  /** Gives everything that an account owns in this module to another, when the account is deleted. */
  transferOwnership?: TransferOwnership;
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
  /** How the API's webhooks are delivered; at most one module may say so. */
  deliveryPolicy?(kernel: Kernel): DeliveryPolicy;
  /** Subscribers to configuration changes; created anew for each server and command. */
  subscribers?(): readonly Subscriber[];
}

/** Migrations run in the order of the modules: a table must come before those that reference it. */
export function apiOf(protocol: ApiProtocol, modules: readonly Module[]): Api {
  const routes = modules.flatMap((module) => module.routes ?? []);
  refuseTwice(
    'operation id',
    routes.map(({ shape }) => shape.id),
  );
  refuseTwice(
    'route',
    routes
      .flatMap(({ shape }) => placesOf(shape, protocol.pathAliases))
      .filter(({ isEmptyRest }) => isEmptyRest !== true)
      .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+(?:\.{3})?\}/g, '{}')}`),
  );
  for (const { shape } of routes) checkPathAliases(shape, protocol);
  const delivering = modules.filter((module) => module.deliveryPolicy !== undefined);
  if (delivering.length > 1) throw new Error(`Two modules of ${protocol.name} deliver its webhooks.`);
  const api: Api = {
    protocol,
    routes,
    rawRoutes: modules.flatMap((module) => module.rawRoutes ?? []),
    pages: modules.flatMap((module) => module.pages ?? []),
    tags: joinTags(modules),
    migrations: modules.flatMap((module) => module.migrations ?? []),
    blobKinds: modules.flatMap((module) => module.blobKinds ?? []),
    boundaryUsers: modules.flatMap((module) => module.boundaryUsers ?? []),
    sealedColumns: modules.flatMap((module) => module.sealedColumns ?? []),
    roleStatements: modules.flatMap((module) => module.roleStatements ?? []),
    subscribers: () => modules.flatMap((module) => module.subscribers?.() ?? []),
    ...(delivering[0] && { deliveryPolicy: (kernel) => delivering[0]!.deliveryPolicy!(kernel) }),
    async firstStart(tx) {
      for (const module of modules) await module.firstStart?.(tx);
    },
    async *demo(kernel) {
      for (const module of modules) if (module.demo !== undefined) yield* module.demo(kernel);
    },
    async *removeDemo(kernel) {
      for (const module of modules) if (module.removeDemo !== undefined) yield* module.removeDemo(kernel);
    },
    async demoParts(kernel) {
      const found: DemoPart[] = [];
      for (const module of modules) found.push(...((await module.demoParts?.(kernel)) ?? []));
      return found;
    },
    async transferOwnership(tx, from, to) {
      for (const module of modules) await module.transferOwnership?.(tx, from, to);
    },
    async endMember(tx, member) {
      for (const module of modules) await module.endMember?.(tx, member);
    },
    async auditedAccounts(db, accountId) {
      const found: string[] = [];
      for (const module of modules) found.push(...((await module.auditedAccounts?.(db, accountId)) ?? []));
      return found;
    },
    work: (kernel) => joinWork(modules.map((module) => module.work?.(kernel) ?? {})),
    endStreams(kernel) {
      for (const module of modules) module.endStreams?.(kernel);
    },
    async start(kernel) {
      const started: { stop(reason?: StopReason): Promise<void> }[] = [];
      for (const module of modules) {
        const one = await module.start?.(kernel, api);
        if (one !== undefined) started.unshift(one);
      }
      return {
        async stop(reason) {
          for (const one of started) await one.stop(reason);
        },
      };
    },
    async close(kernel) {
      for (const module of modules) await module.close?.(kernel);
    },
  };
  return api;
}

/** Validation would remove a parameter that the schema does not have, and refuse a call without one that it requires. */
function checkPathAliases(shape: RouteShape, { pathAliases }: ApiProtocol): void {
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
function joinTags(modules: readonly Module[]): Map<string, Tag> {
  const tags = modules.flatMap(({ tag, routes = [] }) =>
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
    if (seen.has(name)) throw new Error(`Two modules have the same ${what}: ${name}`);
    seen.add(name);
  }
}
