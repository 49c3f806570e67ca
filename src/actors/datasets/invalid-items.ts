// The items that break a schema, and what is wrong with the first of them.
import { createRequire } from 'node:module';
import type * as Checker from 'typebox/schema';
import type { Item } from '../../kernel/export/input.ts';

export interface InvalidItem {
  itemPosition: number;
  validationErrors: { instancePath: string; keyword: string; params: object; message: string }[];
}

/** Of so many items it is told what is wrong: nobody reads more, and all of them could be megabytes. */
const MOST_TOLD = 1000;
const MOST_ERRORS = 20;

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
    if (this.first.length < MOST_TOLD) {
      const [, errors] = Errors(this.#fields, item);
      const validationErrors = errors
        .slice(0, MOST_ERRORS)
        .map(({ instancePath, keyword, params, message }) => ({ instancePath, keyword, params, message }));
      this.first.push({ itemPosition, validationErrors });
    }
    // Last, because it may be stopped anywhere above, and is then done again.
    this.count += 1;
  }
}

/** The interpreter, not the compiler: a user's schema must never become code. Loading it takes longer than most checks. */
let loaded: typeof Checker | undefined;
export function loadChecker(): typeof Checker {
  return (loaded ??= createRequire(import.meta.url)('typebox/schema') as typeof Checker);
}
