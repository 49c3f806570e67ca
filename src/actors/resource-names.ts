// The names of Actors and tasks, and the titles that come from names.
import { problem } from '../kernel/schema/schema.ts';

const ACTOR_NAME = /^[a-zA-Z0-9][a-zA-Z0-9-]{1,61}[a-zA-Z0-9]$/;
export const MAX_ACTOR_NAME_LENGTH = 63;

export function checkActorName(name: string): void {
  if (ACTOR_NAME.test(name)) return;
  throw problem('name', 'must have 3 to 63 letters and digits, with hyphens only inside');
}

/** The title of what has none: `my-actor-task` becomes `My Actor Task`. */
export function titleOf(name: string): string {
  const words = name.split('-').filter((word) => word !== '');
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
}
