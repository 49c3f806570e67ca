// Calls of code scanning for tests: SARIF documents, uploads, and waiting until one is processed.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { eventually } from '../../../eventually.ts';
import type { HostPerson } from '../../../host-people.ts';
import type { Answer, Json } from '../../../server.ts';

export interface Finding {
  rule?: string;
  path?: string;
  line?: number;
  hash?: string;
  level?: string;
  text?: string;
}

export function resultOf({ rule = 'js/eval', path = 'a.js', line = 1, hash, level, text }: Finding): Json {
  return {
    ruleId: rule,
    ...(level !== undefined && { level }),
    message: { text: text ?? `${rule} in ${path}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: path }, region: { startLine: line } } }],
    ...(hash !== undefined && { partialFingerprints: { primaryLocationLineHash: hash } }),
  };
}

export function runOf(findings: readonly Finding[], more: Json = {}): Json {
  const ids = [...new Set(findings.map(({ rule = 'js/eval' }) => rule))];
  return {
    tool: {
      driver: {
        name: 'Linter',
        version: '1.2.3',
        rules: ids.map((id) => ({
          id,
          name: `rule ${id}`,
          shortDescription: { text: `about ${id}` },
          defaultConfiguration: { level: 'warning' },
          properties: { tags: ['security'], 'security-severity': '7.5' },
        })),
      },
    },
    results: findings.map(resultOf),
    ...more,
  };
}

export const sarifOf = (runs: readonly Json[]): Json => ({ version: '2.1.0', runs });

export const packed = (document: unknown): string =>
  gzipSync(typeof document === 'string' ? document : JSON.stringify(document)).toString('base64');

export interface UploadPlace {
  person: HostPerson;
  /** `/repos/owner/name`. */
  at: string;
  sha: string;
  ref?: string;
}

export async function uploadBytes(
  { person, at, sha, ref = 'refs/heads/main' }: UploadPlace,
  sarif: string,
  more: Json = {},
): Promise<Answer> {
  return await person.post(`${at}/code-scanning/sarifs`, { commit_sha: sha, ref, sarif, ...more });
}

/** Waits until it is processed. */
export async function statusOf({ person, at }: UploadPlace, id: string): Promise<Json> {
  let json: Json = {};
  await eventually(async () => {
    ({ json } = await person.get(`${at}/code-scanning/sarifs/${id}`));
    return json['processing_status'] !== 'pending';
  }, 'the upload is processed');
  return json;
}

/** Returns the status. */
export async function uploadPacked(place: UploadPlace, sarif: string, more: Json = {}): Promise<Json> {
  const { status, text, json } = await uploadBytes(place, sarif, more);
  assert.equal(status, 202, text);
  return { ...(await statusOf(place, json['id'])), id: json['id'] };
}

/** Fails the test where it is not complete. */
export async function analyze(
  place: UploadPlace,
  findings: readonly Finding[],
  more: Json = {},
): Promise<string> {
  const status = await uploadPacked(place, packed(sarifOf([runOf(findings, more)])));
  assert.equal(status['processing_status'], 'complete', JSON.stringify(status));
  return status['id'] as string;
}

/** By number: the state of each alert of the list. */
export async function alertStates({ person, at }: UploadPlace, query = ''): Promise<Record<number, string>> {
  const { status, text, json } = await person.get(`${at}/code-scanning/alerts?direction=asc${query}`);
  assert.equal(status, 200, text);
  return Object.fromEntries((json as unknown as Json[]).map((alert) => [alert['number'], alert['state']]));
}
