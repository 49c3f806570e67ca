// Examples of calls, for OpenAPI documents and for the pages of versions: real exchanges that tests had, read from files.
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
async function readExampleFile<Content>(name: string): Promise<Content | undefined> {
  for (const folder of FOLDERS) {
    try {
      return JSON.parse(await readFile(new URL(folder + name, import.meta.url), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** One side of an example. Where members or items are left out, the body has the member or the item `…`. */
export interface ExampleReply {
  status: number;
  type?: string;
  body?: unknown;
}

/** A call that a change is about, in the version before it and in its own, trimmed to what the change is about. */
export interface VersionExample {
  /** The method and the path, with the names of parameters. */
  call: string;
  /** The header, where the change is about callers who send it. */
  accept?: string;
  /** The body of the request, where it has one of the changed fields. */
  request?: unknown;
  before: ExampleReply;
  after: ExampleReply;
}

/** By version, then by the anchor of the change. */
export type VersionExamples = Readonly<Record<string, Readonly<Record<string, VersionExample>>>>;

/** The member or item that stands for those that are left out. */
export const LEFT_OUT = '…';

export async function readVersionExamples(api: string): Promise<VersionExamples> {
  return (await readExampleFile<VersionExamples>(`${api}.versions.json`)) ?? {};
}
