// The same call by the official client of an API: which client that is, and how values are written in JavaScript.
import type { SampleCall } from './samples.ts';

/** An operation, as far as clients name their methods after it. */
export interface ClientOperation {
  id: string;
  method: string;
  /** With parameters in braces, below the base of the API. */
  path: string;
  /** The name of its resource. */
  resource: string;
}

export interface SampleClient {
  /** As people know it. */
  name: string;
  /** A program that runs as it stands; undefined for what the client has no method for. A test runs each. */
  write(operation: ClientOperation, call: SampleCall): string | undefined;
}

/** An argument that begins on a line of this indentation. */
export function scriptValue(value: unknown, indent = ''): string {
  return JSON.stringify(value, undefined, 2)
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll('\n', `\n${indent}`);
}
