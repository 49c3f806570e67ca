// The message for an authenticated caller who has reached a limit.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';

/** Clients recognise its beginning, and tell people by the rest whose budget is spent. */
export function limitExceededFor(caller: KnownCaller): string {
  const [, kind, number] = /^(installation|app)\/(\d+)$/.exec(caller.budget?.id ?? '') ?? [];
  return `API rate limit exceeded for ${kind ?? 'user'} ID ${number ?? accountOf(caller).number}.`;
}
