// Several nodes on one database: each program in standby mode has one node that counts its requests and executes its runs; and whether programs share the network of a node. ADR 0037.
import { createHash } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { Agent } from '../../kernel/network/http-client.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  deleteNode,
  listNodes,
  releaseNodes,
  upsertNode,
  type ActorNode,
  doRunsShareNetwork,
} from './store-nodes.ts';

const ANNOUNCE_MS = 10_000;
/** A node that was not seen for so long is gone. */
const GONE_MS = 35_000;
const CACHE_MS = 2_000;

export class NodeDirectory {
  readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  readonly #unreachable = new Map<string, number>();
  #known: { at: number; nodes: Promise<ActorNode[]> } | undefined;

  /** The URL of the node that a program belongs to; undefined where it is this one. */
  async homeOf(kernel: Kernel, program: string): Promise<string | undefined> {
    const { engine, services, settings } = kernel;
    const { isExecuting, nodeUrl } = settings.execution;
    if (isExecuting && (!engine.isShared || nodeUrl === undefined)) return undefined;
    const own = isExecuting ? await services.thisNode.begun : undefined;
    const others = (await this.#list(kernel)).filter(
      ({ name, url }) => name !== own && url !== null && !this.#isUnreachable(kernel, url),
    );
    const names = own === undefined ? others : [...others, { name: own, url: null }];
    if (names.length === 0) throw noNode();
    // Rendezvous hashing: when a node comes or goes, only its own programs move.
    const [home] = names.toSorted((one, other) =>
      compare(rank(program, other.name), rank(program, one.name)),
    );
    return home!.url ?? undefined;
  }

  /** For a while its programs belong to others. */
  avoid({ clock }: Pick<Kernel, 'clock'>, url: string): void {
    this.#unreachable.set(url, clock.now() + GONE_MS);
  }

  #isUnreachable({ clock }: Kernel, url: string): boolean {
    return (this.#unreachable.get(url) ?? 0) > clock.now();
  }

  async #list({ db, clock }: Kernel): Promise<ActorNode[]> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > CACHE_MS)
      this.#known = { at: now, nodes: listNodes(db, clock.now() - GONE_MS) };
    return await this.#known.nodes.catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
  }
}

function rank(program: string, node: string): string {
  return createHash('sha256').update(`${program}\n${node}`).digest('hex');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function noNode(): Failure {
  return new Failure(
    'forbidden',
    'This server does not run Actors itself, and no node that does has said how to reach it: set --node-url (SIGNALBOX_NODE_URL) on those nodes.',
    { code: 'platform-feature-disabled' },
  );
}

export function nodeOutOfReach(): Failure {
  return new Failure(
    'forbidden',
    'The run is executed by another node, which has not said how to reach it: set --node-url (SIGNALBOX_NODE_URL) there.',
    { code: 'platform-feature-disabled' },
  );
}

/** Notified when a node comes, goes, or says something else about itself. */
const NODES = 'actor-nodes';

/** Says that this node is there, and whether programs on it share its network: before it executes any. */
export async function announceNode({ engine, db, clock, settings }: Kernel, name: string): Promise<void> {
  const { nodeUrl: url = null, network, packageNetwork } = settings.execution;
  // Package managers can be made to run programs of the Actor.
  const sharesNetwork = network === 'host' || packageNetwork === 'host';
  await upsertNode(db, { name, url, sharesNetwork }, clock.now());
  await engine.notify(NODES);
}

/** After its last program has ended. */
export async function withdrawNode({ engine, db }: Kernel, name: string): Promise<void> {
  await deleteNode(db, name);
  await engine.notify(NODES);
}

/** Repeats that this node is there, as long as it executes runs, and gives up those of nodes that are gone. */
export function startAnnouncing(kernel: Kernel): { stop(): Promise<void> } {
  const { db, clock, log, services } = kernel;
  let announcing: Promise<void> | undefined;
  let isStopped = false;
  async function announce(): Promise<void> {
    const { name } = services.thisNode;
    if (name === undefined || isStopped) return;
    await announceNode(kernel, name);
    await releaseNodes(db, clock.now() - GONE_MS);
  }
  const tick = () => {
    announcing ??= announce()
      .catch((error: unknown) => log.warn({ err: error }, 'cannot announce this node'))
      .finally(() => (announcing = undefined));
  };
  const timer = setInterval(tick, ANNOUNCE_MS).unref();
  void services.thisNode.begun.then(tick);
  return {
    async stop() {
      clearInterval(timer);
      isStopped = true;
      await announcing;
    },
  };
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    networkSharing: NetworkSharing;
  }
}

/** Notifications may be lost. */
const SHARING_CACHE_MS = 1000;

/** Asked by every request of a session, so the answer is cached. */
class NetworkSharing {
  readonly #engine: Kernel['engine'];
  #known: { at: number; answer: Promise<boolean> } | undefined;

  constructor(engine: Kernel['engine']) {
    this.#engine = engine;
  }

  /** True unless every node that executes Actors has said that programs on it have a network of their own, or none. */
  async doRunsShare(): Promise<boolean> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > SHARING_CACHE_MS)
      this.#known = { at: now, answer: doRunsShareNetwork(this.#engine.db) };
    const { answer } = this.#known;
    return await answer.catch((error: unknown) => {
      this.forget();
      throw error;
    });
  }

  forget(): void {
    this.#known = undefined;
  }
}

export async function openNetworkSharing({ engine }: Pick<Kernel, 'engine'>): Promise<NetworkSharing> {
  const sharing = new NetworkSharing(engine);
  await engine.listen(NODES, () => sharing.forget());
  return sharing;
}
