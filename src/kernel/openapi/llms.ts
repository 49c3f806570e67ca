// /llms.txt: a short guide in plain text for programs that read before they call, made from the same facts as the documentation.
import type { ApiProtocol } from '../http/protocol.ts';
import { LIMITS_PATH, type DocsSite } from './docs-frame.ts';
import { describedVersions } from './docs-versions.ts';
import type { FailureKind } from '../failure.ts';
import type { Kernel } from '../kernel.ts';
import { errorsPath } from './error-catalogue.ts';
import { FAILURE_DESCRIPTIONS } from './errors.ts';
import { OPENAPI_PATH } from './module.ts';
import type { Limits } from '../limits/limits.ts';
import { defaultVersion } from '../versions/version.ts';

export function llmsText(
  { apis, links, searchPath }: Pick<DocsSite, 'apis' | 'links' | 'searchPath'>,
  { publicUrl, release, program, limits }: Pick<Kernel, 'publicUrl' | 'release' | 'program' | 'limits'>,
): string {
  return [
    '# Signalbox',
    `> A self-hosted server, version ${release}, with ${apis.length} REST APIs: ${apis.map(({ protocol }) => protocol.title).join(', ')}.`,
    'One account and one access token are good for all of them. Read the OpenAPI document of an API before you call it: it has ' +
      'every operation with its parameters, bodies, errors and an example.',
    `An access token is made with \`${program} token create\`, or by an administrator. Never write one into a file or a log.`,
    ...apis.map(({ protocol }) => apiText(protocol, publicUrl, limits)),
    '## More',
    list([
      `[Documentation](${publicUrl}/docs.md): pages for people; with \`.md\` at the end of its address, each is Markdown`,
      ...links.map(({ href, title }) => `[${title}](${publicUrl}${href})`),
      `[Search](${publicUrl}${searchPath}?q=): over all of it`,
      `[Rate limits](${publicUrl}${LIMITS_PATH}): of all APIs`,
      `[Health](${publicUrl}/healthz): answers 200 while the server runs`,
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

function apiText(protocol: ApiProtocol, publicUrl: string, limits: Limits): string {
  const { name, title, description, prefixes, versions, tokenHeader, bodyLimit } = protocol;
  const bases = prefixes.map((prefix) => publicUrl + prefix);
  const schemes = Object.values(protocol.securitySchemes).map(describeScheme);
  return [
    `## ${title}`,
    description,
    list([
      `Base URL: ${bases.join(' or ')}`,
      `[OpenAPI](${bases[0]}${OPENAPI_PATH}): the document of the version that answers`,
      ...describedVersions(versions).map(
        (version) => `[OpenAPI ${version}](${publicUrl}/docs/${name}/${version}.json)`,
      ),
      ...versionText(protocol),
      `Authentication: send \`${tokenHeader}\`. What is understood: ${schemes.join('; ')}.`,
      `Bodies have at most ${bodyLimit} bytes.`,
      limitText(protocol, limits),
      `Errors: ${errorText(protocol)} [Each with its cause and cure](${publicUrl}${errorsPath(name)}.md)`,
    ]),
  ].join('\n\n');
}

function versionText({ versions }: ApiProtocol): string[] {
  const [header] = versions.headers ?? [];
  if (header === undefined) return [];
  const names = versions.names.join(', ');
  return [
    `Versions: ${names}, chosen by the header ${header}; without it ${defaultVersion(versions)} answers.`,
  ];
}

/** A way to say who calls, in the words of OpenAPI. */
function describeScheme({ type, scheme, in: place, name }: Record<string, string>): string {
  return type === 'http' ? `HTTP ${scheme}` : `the ${place} ${place === 'query' ? 'parameter ' : ''}${name}`;
}

function limitText({ name, limits: plan }: ApiProtocol, { enabled, quotas }: Limits): string {
  if (!enabled) return 'Rate limits are off.';
  const budgets = Object.keys(plan.quotas).map((category) => {
    const { known, anonymous, seconds } = quotas[`${name}.${category}`]!;
    return `${category} ${known} calls (${anonymous} without a token) in ${seconds} s`;
  });
  return `Rate limits: ${budgets.join('; ')}. Wait as long as the header Retry-After says.`;
}

function errorText({ status }: ApiProtocol): string {
  const kinds = Object.keys(FAILURE_DESCRIPTIONS) as FailureKind[];
  const byStatus = Object.groupBy(kinds, (kind) => status[kind]);
  return Object.entries(byStatus)
    .map(([code, same = []]) => `${code} ${same.map((kind) => FAILURE_DESCRIPTIONS[kind]).join(' ')}`)
    .join(' ');
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
