// Collects the items that violate a schema, with the validation errors of the first ones.
import { createRequire } from 'node:module';
import type * as Checker from 'typebox/schema';
import type { Item } from '../export/input.ts';

export interface InvalidItem {
  itemPosition: number;
  validationErrors: { instancePath: string; keyword: string; params: object; message: string }[];
}

/** Errors are reported for this many items: all of them could be megabytes. */
const MAX_REPORTED = 1000;
const MAX_ERRORS = 20;

export class InvalidItems {
  readonly first: InvalidItem[] = [];
  count = 0;
  readonly #fields: Item;

  constructor(fields: Item) {
    this.#fields = fields;
  }

  check(item: Item, itemPosition: number): void {
    const { Check, Errors } = loadChecker();
    if (Check(this.#fields, item)) return;
    if (this.first.length < MAX_REPORTED) {
      const [, errors] = Errors(this.#fields, item);
      const validationErrors = errors
        .slice(0, MAX_ERRORS)
        .map(({ instancePath, keyword, params, message }) => ({ instancePath, keyword, params, message }));
      this.first.push({ itemPosition, validationErrors });
    }
    // Last, because a timeout may interrupt the lines above, and the item is then checked again.
    this.count += 1;
  }
}

/** The interpreter, not the compiler: a user's schema must never become code. Loaded late, because that takes longer than most checks. */
let loaded: typeof Checker | undefined;
export function loadChecker(): typeof Checker {
  return (loaded ??= createRequire(import.meta.url)('typebox/schema') as typeof Checker);
}
