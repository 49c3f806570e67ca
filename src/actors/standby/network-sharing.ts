// Whether programs of users share the network of a machine that executes them: asked by every request of a session, so remembered.
import type { Kernel } from '../../kernel/kernel.ts';
import { NODES } from './nodes.ts';
import { doRunsShareNetwork } from './store-nodes.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    networkSharing: NetworkSharing;
  }
}

/** Notifications may be lost. */
const CACHE_MS = 1000;

export class NetworkSharing {
  readonly #engine: Kernel['engine'];
  #known: { at: number; answer: Promise<boolean> } | undefined;

  constructor(engine: Kernel['engine']) {
    this.#engine = engine;
  }

  /** True unless every node that executes Actors has said that programs on it have a network of their own, or none. */
  async doRunsShare(): Promise<boolean> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > CACHE_MS)
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
