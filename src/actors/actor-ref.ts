// The references by which paths name Actors and tasks.

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
