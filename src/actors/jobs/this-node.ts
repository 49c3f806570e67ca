// This server as a node that executes builds and runs.

declare module '../../kernel/kernel.ts' {
  interface Services {
    thisNode: ThisNode;
  }
}

export class ThisNode {
  /** Undefined on a server that does not execute anything, or not yet. */
  name: string | undefined;
  readonly #begun = Promise.withResolvers<string>();

  begin(name: string): void {
    this.name = name;
    this.#begun.resolve(name);
  }

  /** It executes nothing any more. */
  end(): void {
    this.name = undefined;
  }

  /** Resolves when it has begun. */
  get begun(): Promise<string> {
    return this.#begun.promise;
  }
}
