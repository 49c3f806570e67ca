// Method overrides: a caller may name another method than it sends. They are applied before routing.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';
import type { Credential } from '../identity/caller.ts';
import { shorten } from '../json/pointer.ts';
import { routedPath } from './prefixes.ts';
import type { Method } from './route.ts';

/** Where the callers of an API name the method. */
export interface MethodOverride {
  in: 'header' | 'query';
  name: string;
  /** The sent methods that may be overridden; if absent, all but OPTIONS. */
  from?: readonly Method[];
  to: readonly Method[];
}

/** A call whose caller named a method. */
export interface OverriddenMethod {
  sent: string;
  /** Shortened, because it may be any text. */
  asked: string;
  override: MethodOverride;
}

export class MethodOverrides {
  readonly #apis: { prefix: string; override: MethodOverride }[] = [];
  readonly #overridden = new WeakMap<IncomingMessage, OverriddenMethod>();

  add(prefix: string, override: MethodOverride): void {
    this.#apis.push({ prefix, override });
  }

  /** Sets the method of the request. `checkOverride` later refuses one that is not allowed. */
  apply(request: IncomingMessage): void {
    const { method: sent = '', url = '/' } = request;
    for (const { prefix, override } of this.#apis) {
      const { from, to } = override;
      if (sent === 'OPTIONS' || (from !== undefined && !from.some((method) => method === sent))) continue;
      const asked = askedFor(request, override)?.toUpperCase();
      if (asked === undefined || asked === '' || asked === sent) continue;
      if (!`${routedPath(url)}/`.startsWith(`${prefix}/`)) continue;
      this.#overridden.set(request, { sent, asked: shorten(asked), override });
      if (to.some((method) => method === asked)) request.method = asked;
      return;
    }
  }

  of(request: IncomingMessage): OverriddenMethod | undefined {
    return this.#overridden.get(request);
  }
}

function askedFor({ url = '/', headers }: IncomingMessage, override: MethodOverride): string | undefined {
  if (override.in === 'header') return headers[override.name.toLowerCase()] as string | undefined;
  const start = url.indexOf('?');
  if (start === -1 || !url.includes(`${override.name}=`, start)) return undefined;
  return new URLSearchParams(url.slice(start)).get(override.name) ?? undefined;
}

/** Only calls with a token may override: a link with an override to DELETE, opened in a browser with a session, would delete. */
export function checkOverride(
  { asked, override }: OverriddenMethod,
  credential: Credential | undefined,
): Failure | undefined {
  const where =
    override.in === 'header' ? `the header ${override.name}` : `the query parameter ${override.name}`;
  if (!override.to.some((method) => method === asked)) {
    return new Failure(
      'invalid',
      `${asked} cannot be asked for by ${where}: it takes ${override.to.join(', ')}.`,
    );
  }
  if (credential?.kind === 'token') return undefined;
  const words = `Only calls with an access token may ask for another verb by ${where}.`;
  return new Failure(credential === undefined ? 'unauthenticated' : 'malformed', words);
}
