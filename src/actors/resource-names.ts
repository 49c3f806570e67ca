// The names of Actors and tasks: their rules, the references that paths contain, the titles that come from names, and names that are not taken.
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

/** The reference in a path: an id or a name of the caller's, or a name with its owner, by default the caller. */
export type ActorRef = { idOrName: string } | { name: string; owner?: string };

/** Undefined when there is no name after the tilde, or a NUL, which PostgreSQL cannot store. */
export function parseActorRef(text: string): ActorRef | undefined {
  if (text === '' || text.includes('\0')) return undefined;
  // Clients send `user~name`; people also write `user/name`.
  const end = text.search(/[~/]/);
  if (end === -1) return { idOrName: text };
  const [owner, name] = [text.slice(0, end), text.slice(end + 1)];
  if (name === '') return undefined;
  return owner === '' ? { name } : { name, owner };
}

const CANDIDATES_PER_QUERY = 50;

interface WantedName {
  name: string;
  maxLength: number;
  /** The first number that is appended. */
  firstNumber: number;
}

/** `findTaken` gets names in lower case, and returns those of them that are taken, in any case. */
export async function findFreeName(
  { name, maxLength, firstNumber }: WantedName,
  findTaken: (folded: readonly string[]) => Promise<readonly string[]>,
): Promise<string> {
  // The wanted name comes first, in the place of the number before the first.
  const unnumbered = firstNumber - 1;
  for (let start = unnumbered; ; start += CANDIDATES_PER_QUERY) {
    const candidates = Array.from({ length: CANDIDATES_PER_QUERY }, (_, index) => {
      const ending = start + index === unnumbered ? '' : `-${start + index}`;
      return name.slice(0, maxLength - ending.length) + ending;
    });
    const found = await findTaken(candidates.map((candidate) => candidate.toLowerCase()));
    const taken = new Set(found.map((each) => each.toLowerCase()));
    const free = candidates.find((candidate) => !taken.has(candidate.toLowerCase()));
    if (free !== undefined) return free;
  }
}
