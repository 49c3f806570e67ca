// Which routes of the host octokit has called, and which are missing.
import { Octokit } from 'octokit';
import { hostApi } from '../../../src/host/api.ts';
import { describedPath } from '../../../src/kernel/http/path-template.ts';
import { existsIn } from '../../../src/kernel/versions/version.ts';
import { Operations } from '../../host-contract/find-operation.ts';

/** Names of octokit's methods by the addresses that they call, such as `GET /users/{username}`. */
const METHODS = new Map(
  Object.entries(new Octokit().rest).flatMap(([scope, methods]) =>
    Object.entries(methods).map(([name, { endpoint }]) => {
      const { method, url } = endpoint.DEFAULTS;
      return [`${method} ${url.replace(/\{\?.*$/, '')}`, `${scope}.${name}`] as const;
    }),
  ),
);

export class CalledRoutes {
  readonly #called = new Set<string>();
  readonly #operations: ReadonlyMap<string, string>;
  readonly #addresses: Operations;

  constructor(version: string) {
    this.#operations = operationsOf(version);
    const own = hostApi.routes.map(({ shape: { method, path } }) => `${method} ${describedPath(path)}`);
    this.#addresses = new Operations(new Set([...METHODS.keys(), ...own]));
  }

  /** The address as octokit has it before it fills in parameters, or the whole one: of a page, or for GraphQL. */
  add(method: string, url: string): void {
    if (!URL.canParse(url)) this.#called.add(`${method} ${url.replace(/\{\?.*$/, '')}`);
    else this.#called.add(this.#addresses.find(method, url.replace(/^\w+:\/\/[^/]+/, '')) ?? url);
  }

  /** Operations that were not called. */
  missingOperations(): string[] {
    const called = new Set([...this.#called].map(withoutNames));
    return [...this.#operations].filter(([address]) => !called.has(address)).map(([, id]) => id);
  }

  /** Methods of octokit whose address an operation has, and which was not called. */
  missingMethods(): string[] {
    return [...METHODS]
      .filter(([address]) => this.#operations.has(withoutNames(address)) && !this.#called.has(address))
      .map(([, name]) => name);
  }
}

/** The ids of the version's operations by method and path. */
function operationsOf(version: string): Map<string, string> {
  return new Map(
    hostApi.routes
      .filter(({ shape }) => existsIn(shape, version))
      .map(({ shape: { id, method, path } }) => [withoutNames(`${method} ${describedPath(path)}`), id]),
  );
}

/** Parameters have other names in octokit, and in one address two of them are one of ours. */
function withoutNames(address: string): string {
  return address.replace('{base}...{head}', '{basehead}').replaceAll(/\{\w+\}/g, '{}');
}
