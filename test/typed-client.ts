// A typed client made from the same route declarations that serve the calls.
import { fillPath } from '../src/kernel/http/path-template.ts';
import type { Route, RouteShape } from '../src/kernel/http/route.ts';
import type { Static, TSchema } from '../src/kernel/schema/schema.ts';

type Part<S, Name extends string> = S extends TSchema
  ? { [Key in Name]: Static<S> }
  : { [Key in Name]?: undefined };

export type Input<S extends RouteShape> = Part<S['params'], 'params'> &
  (S['query'] extends TSchema ? { query?: Partial<Static<S['query']>> } : { query?: undefined }) &
  Part<S['body'], 'body'> & { headers?: Record<string, string> };

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON, otherwise text; undefined if empty. */
  body: unknown;
}

export interface ApiConnection {
  /** Server and prefix, without a trailing slash: `http://127.0.0.1:8080/api/v2`. */
  url: string;
  /** The value of the Authorization header. */
  authorization?: string;
}

/** The input without its static types. */
interface Loose {
  params?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
}

export async function callRoute<S extends RouteShape>(
  { url, authorization }: ApiConnection,
  { shape }: Route<S>,
  input: Input<S>,
): Promise<Answer> {
  const { params = {}, query = {}, body, headers } = input as Loose;
  const target = new URL(url + fillPath(shape.path, params));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  const response = await fetch(target, {
    method: shape.method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text,
  };
}
