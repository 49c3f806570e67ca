// Holds a route to the permission it declares.
import type { CallFacts } from './dialect.ts';
import { can, demand } from './identity/policy.ts';
import type { Shape } from './route.ts';

/** A reply for which the permission was never asked is a mistake, and refused. */
export class AccessCheck {
  readonly #facts: CallFacts;
  readonly #action: string | undefined;
  #asked = false;

  constructor(facts: CallFacts, { access }: Shape) {
    this.#facts = facts;
    this.#action = typeof access === 'object' ? access.action : undefined;
  }

  demand(resource: string): void {
    this.#asked = true;
    demand(this.#facts.caller!, this.#actionOrFail(), resource);
  }

  can(resource: string): boolean {
    this.#asked = true;
    return can(this.#facts.caller!, this.#actionOrFail(), resource);
  }

  finish(): void {
    if (this.#action !== undefined && !this.#asked)
      throw new Error(`${this.#facts.shape?.id} never asked for its permission`);
  }

  #actionOrFail(): string {
    if (this.#action === undefined)
      throw new Error(`${this.#facts.shape?.id} declares no permission to ask for`);
    return this.#action;
  }
}
