// How things are named in policies, audit entries and webhook filters: `proj/shop;core:env/test:flag/banner;beta`.

/** What has a key, and tags that statements may ask for. */
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

/** Something that lives in an environment, for the policies: a flag, a segment. */
export function environmentalResource(
  project: Tagged,
  environment: Tagged,
  type: 'flag' | 'segment',
  thing: Tagged,
): string {
  return `${environmentResource(project, environment)}:${segment(type, thing)}`;
}

/** What the name of a thing of the flag service, or of the account, begins with. */
export const RESOURCE_TYPES: ReadonlySet<string> = new Set([
  'acct',
  'member',
  'proj',
  'role',
  'service-token',
  'team',
  'webhook',
]);
