// Samples of the host by octokit, whose methods have the names of the operations.
import type { ClientOperation, SampleClient } from '../kernel/openapi/reference/client-sample.ts';
import { scriptValue } from '../kernel/openapi/reference/client-sample.ts';
import type { SampleCall } from '../kernel/openapi/reference/samples.ts';

/** Operations that octokit has no such method for. */
const WITHOUT_METHOD: ReadonlySet<string> = new Set([
  'emojis/get-picture',
  'enterprise-admin/create-org',
  'gists/get-raw-file',
  'git/list-refs',
  'graphql/query',
  'graphql/query-below-api',
  'meta/get-openapi',
  'meta/get-version-impact',
  'orgs/create-custom-repo-role',
  'orgs/create-for-authenticated-user',
  'orgs/delete-custom-repo-role',
  'orgs/get-custom-repo-role',
  'orgs/list-custom-repo-roles',
  'orgs/list-custom-roles',
  'orgs/update-custom-repo-role',
  // Octokit has other names for its parameters.
  'repos/create-using-template',
  'repos/get-archive',
  'repos/get-raw-file',
  'signalbox/begin-import',
  'signalbox/end-import',
  'signalbox/import-batch',
  'users/get-avatar',
]);

export const hostClient: SampleClient = { name: 'Octokit', write };

function write(operation: ClientOperation, call: SampleCall): string {
  const needsToken = call.headers.some(([name]) => name === 'Authorization');
  const options = parametersOf(operation, call);
  const given = Object.keys(options).length === 0 ? '' : scriptValue(options);
  return [
    'import { Octokit } from "octokit";',
    '',
    'const octokit = new Octokit({',
    `  baseUrl: ${JSON.stringify(call.publicUrl)},`,
    ...(needsToken ? ['  auth: process.env.SIGNALBOX_TOKEN,'] : []),
    '});',
    `const { status, data } = await ${methodOf(operation, given)};`,
    'console.log(status, data);',
  ].join('\n');
}

/** Those without a method of their own are called by their paths. */
function methodOf({ id, method, path }: ClientOperation, given: string): string {
  const [group = '', name = ''] = id.split('/').map(camelCase);
  if (!WITHOUT_METHOD.has(id)) return `octokit.rest.${group}.${name}(${given})`;
  // Octokit would encode the slashes of a path without the plus.
  const template = JSON.stringify(`${method} ${path.replace(/\{(\w+)\.\.\.\}/, '{+$1}')}`);
  return `octokit.request(${given === '' ? template : `${template}, ${given}`})`;
}

function camelCase(words: string): string {
  return words.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** What octokit takes for itself. */
const OPTIONS = ['baseUrl', 'data', 'headers', 'mediaType', 'method', 'request', 'url'];

/** Lists that octokit takes by the last word of the path. */
const NAMED_LIST = /\/required_status_checks\/contexts$|\/restrictions\/(?:apps|teams|users)$/;

function parametersOf(
  { path }: ClientOperation,
  { values, headers, body }: SampleCall,
): Record<string, unknown> {
  const version = headers.find(([name]) => /version/i.test(name));
  return {
    ...values,
    ...bodyParameters(path, values, body),
    ...(version !== undefined && { headers: { [version[0]]: version[1] } }),
  };
}

/** A body that is no object, or has names that mean something else, is sent as `data`. */
function bodyParameters(path: string, values: SampleCall['values'], body: unknown): object {
  if (body === undefined) return {};
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const name = path.split('/').at(-1)!;
  if (NAMED_LIST.test(path)) return isObject ? body : { [name]: body };
  const taken = [...OPTIONS, ...Object.keys(values)];
  return isObject && !taken.some((one) => Object.hasOwn(body, one)) ? body : { data: body };
}
