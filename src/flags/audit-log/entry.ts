// What an audit entry knows: one event, with its texts parsed.
import type { Access } from '../../kernel/events.ts';

/** Who did it, as they were then: the entry must stay true when they are renamed or gone. */
export interface Who {
  member?: { _id: string; email: string; firstName?: string; lastName?: string };
  token?: { _id: string; name: string; ending: string; serviceToken: boolean };
}

/** The update as it came, in the words of the patch kind. */
export type Update = { patch: unknown } | { merge: unknown } | { instructions: unknown };

/** What an event holds for the audit log beside its columns. */
export interface EntryExtras {
  verb: string;
  /** In Markdown, a line for each thing that changed. */
  description?: string;
  update?: Update;
  who: Who;
}

export interface Entry extends EntryExtras {
  id: string;
  at: number;
  accesses: readonly Access[];
  /** Without tags. */
  resource: string;
  kind: string;
  name: string;
  comment?: string | undefined;
  before?: unknown;
  after?: unknown;
}
