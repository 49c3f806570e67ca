// A part of an API declares itself once: its routes, its tables, its work behind the calls. An API is a dialect and a list of them.
import type { ChangeTransaction, Subscriber } from './change/changes.ts';
import type { Api, DemoCall, Dialect, Hooks, BackgroundWork } from './dialect.ts';
import type { RoleStatements } from './identity/base-roles.ts';
import type { HandOver } from './identity/store-accounts.ts';
import type { Kernel } from './kernel.ts';
import type { Route } from './route.ts';
import type { Migration } from './storage/migrate.ts';

export interface Part {
  routes?: readonly Route[];
  migrations?: readonly Migration[];
  /** What the base roles may or may not do with its resources, beside what the kernel says of all. */
  roleStatements?: readonly RoleStatements[];
  /** Lays down what a new user begins with, where it is missing: at every start, in the transaction that makes the administrator. */
  firstStart?(on: ChangeTransaction): Promise<void>;
  /** Calls that make an example of what it has, one after the other. */
  demo?(): Promise<DemoCall[]>;
  /** Gives what an account that ends owns in this part to another. */
  handOver?: HandOver;
  /** What it does behind calls. */
  work?(kernel: Kernel): BackgroundWork;
  /** Writes down what it counted in memory, once no call is under way, before the database is closed. */
  close?(kernel: Kernel): Promise<void>;
  /** Who receives the webhooks of the API: of one part at most. */
  hooks?: Hooks;
  /** Who hears of changes of configuration; made anew for each server and command. */
  subscribers?(): readonly Subscriber[];
}

/** Tables are made in the order of the parts, so that those which others point to come first. */
export function apiOf(dialect: Dialect, parts: readonly Part[]): Api {
  const routes = parts.flatMap((part) => part.routes ?? []);
  refuseTwice(
    'operation id',
    routes.map(({ shape }) => shape.id),
  );
  refuseTwice(
    'route',
    routes.map(({ shape }) => `${shape.method} ${shape.path.replaceAll(/\{\w+\}/g, '{}')}`),
  );
  const hooks = parts.flatMap((part) => part.hooks ?? []);
  if (hooks.length > 1) throw new Error(`Two parts of ${dialect.name} receive its webhooks.`);
  return {
    dialect,
    routes,
    migrations: parts.flatMap((part) => part.migrations ?? []),
    roleStatements: parts.flatMap((part) => part.roleStatements ?? []),
    subscribers: () => parts.flatMap((part) => part.subscribers?.() ?? []),
    ...(hooks[0] && { hooks: hooks[0] }),
    async firstStart(on) {
      for (const part of parts) await part.firstStart?.(on);
    },
    async demo() {
      const calls: DemoCall[] = [];
      for (const part of parts) calls.push(...((await part.demo?.()) ?? []));
      return calls;
    },
    async handOver(on, from, to) {
      for (const part of parts) await part.handOver?.(on, from, to);
    },
    work: (kernel) => joinWork(parts.map((part) => part.work?.(kernel) ?? {})),
    async close(kernel) {
      for (const part of parts) await part.close?.(kernel);
    },
  };
}

/** Of two that claimed the same rows, one would do what the other has left for itself. */
export function joinWork(works: readonly BackgroundWork[]): Required<BackgroundWork> {
  const recurring = works.flatMap((work) => work.recurring ?? []);
  const handlers = works.map((work) => work.handlers ?? {});
  refuseTwice('kind of work', [
    ...handlers.flatMap((some) => Object.keys(some)),
    ...recurring.map(({ kind }) => kind),
  ]);
  return { handlers: Object.assign({}, ...handlers) as Required<BackgroundWork>['handlers'], recurring };
}

function refuseTwice(what: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Error(`Two parts have the same ${what}: ${name}`);
    seen.add(name);
  }
}
