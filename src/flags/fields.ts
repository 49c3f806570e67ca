// Schemas of fields shared by resources of the flag service.
import { PlainText, problem, Type } from '../kernel/schema/schema.ts';

const KEY = '^[a-zA-Z0-9][a-zA-Z0-9_.-]*$';

export function Key(description?: string) {
  return Type.String({ pattern: KEY, maxLength: 256, ...(description !== undefined && { description }) });
}

const isKey = new RegExp(KEY);

/** Stores do not query for impossible keys: PostgreSQL fails on a NUL character, for example. */
export function couldBeKey(text: string): boolean {
  return text.length <= 256 && isKey.test(text);
}

const ID = /^[0-9a-f]{24}$/;

export function couldBeId(text: string): boolean {
  return ID.test(text);
}

export const Name = PlainText({ minLength: 1, maxLength: 256 });

export const Description = PlainText({ maxLength: 10_000 });

export const Tags = Type.Array(Type.String({ pattern: '^[a-zA-Z0-9_.-]*$', minLength: 1, maxLength: 64 }), {
  maxItems: 1000,
});

/** Unique and sorted, because clients compare tag lists. */
export function normalizeTags(tags: readonly string[]): string[] {
  return [...new Set(tags)].sort();
}

export const NO_VIEWS = 'this server has no views';

/** In the body of what is created. */
export const ViewKeys = Type.Optional(
  Type.Array(Type.String({ maxLength: 256 }), {
    maxItems: 1000,
    description: `Only an empty list: ${NO_VIEWS}`,
  }),
);

/** Left aside in silence, they would be missing from what the caller believes to have made. */
export function refuseViews({ viewKeys = [] }: { viewKeys?: readonly string[] }): void {
  if (viewKeys.length > 0) throw problem('viewKeys', `cannot be set: ${NO_VIEWS}`);
}

/** Epoch milliseconds that are still exact as a number. */
export function Instant(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

const CONTEXT_KIND = '^(?!(kind|multi)$)[a-zA-Z0-9._-]+$';

/** `kind` and `multi` are reserved words in the JSON of contexts. */
export const ContextKind = Type.String({ pattern: CONTEXT_KIND, maxLength: 256 });

const isContextKind = new RegExp(CONTEXT_KIND);

export function couldBeContextKind(text: string): boolean {
  return text.length <= 256 && isContextKind.test(text);
}

/** Short enough for every engine to index. */
export const ContextKey = PlainText({ minLength: 1, maxLength: 512 });

export const ClientSideAvailability = Type.Object(
  {
    usingEnvironmentId: Type.Boolean({ description: 'Whether browsers see the flag' }),
    usingMobileKey: Type.Boolean({ description: 'Whether mobile apps see the flag' }),
  },
  { $id: 'ClientSideAvailability' },
);
