// Examples of calls for OpenAPI documents: real exchanges that tests had, read from files when a document is made.
import { readFile } from 'node:fs/promises';

/** A call that went well, in the newest version of its API. */
export interface Example {
  /** Absent where the call has no body. */
  request?: { type: string; body: unknown };
  reply?: { status: number; body?: unknown };
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>;

/** In the package they are beside the bundle, in a clone with the documents. */
const FOLDERS = ['./examples/', '../../../docs/openapi/examples/'];

/** Empty where there are none: a document without examples is better than none. */
export async function readExamples(api: string): Promise<Examples> {
  return (await readExampleFile<Examples>(`${api}.json`)) ?? {};
}

/** Undefined where there is no such file. */
export async function readExampleFile<Content>(name: string): Promise<Content | undefined> {
  for (const folder of FOLDERS) {
    try {
      return JSON.parse(await readFile(new URL(folder + name, import.meta.url), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}
