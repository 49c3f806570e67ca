// Resource specifiers for policies, audit entries and webhook filters: `proj/shop;core:env/test:flag/banner;beta`.

/** A resource with a key, and tags that policy statements can match. */
export interface Tagged {
  readonly key: string;
  readonly tags: readonly string[];
}

function segment(type: string, { key, tags }: Tagged): string {
  return tags.length === 0 ? `${type}/${key}` : `${type}/${key};${tags.join(',')}`;
}

export function projectResource(project: Tagged): string {
  return segment('proj', project);
}

export function environmentResource(project: Tagged, environment: Tagged): string {
  return `${projectResource(project)}:${segment('env', environment)}`;
}

export function contextKindResource(project: Tagged, key: string): string {
  return `${projectResource(project)}:context-kind/${key}`;
}

/** The specifier of a flag or segment in an environment. */
export function environmentalResource(
  project: Tagged,
  environment: Tagged,
  type: 'flag' | 'segment',
  thing: Tagged,
): string {
  return `${environmentResource(project, environment)}:${segment(type, thing)}`;
}

/** The first words of specifiers that belong to the flag service or the account. */
export const RESOURCE_TYPES: ReadonlySet<string> = new Set([
  'acct',
  'code-reference-repository',
  'integration',
  'member',
  'proj',
  'relay-proxy-config',
  'role',
  'service-token',
  'team',
  'webhook',
]);
