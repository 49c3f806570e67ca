// Finds properties and values in replies of version 2026-03-10 that it removed: shapes allow more properties, so that no check of one would.

/** Nothing has these. */
const ANYWHERE = new Set([
  'has_downloads',
  'use_squash_pr_title_as_default',
  'master_branch',
  'authorizations_url',
  'secret_scanning_push_protection_custom_link_enabled',
]);

/** Values of the languages of code scanning: both are `javascript-typescript`. */
const REMOVED_LANGUAGES: ReadonlySet<unknown> = new Set(['javascript', 'typescript']);

export function removedNamesIn(operation: string, body: unknown): string[] {
  const isGist = operation.includes('/gists');
  const isRateLimit = operation.endsWith('/rate_limit');
  const isSetup = operation.endsWith('/code-scanning/default-setup');
  const isDelivery = operation.endsWith('/deliveries/{delivery_id}');
  const found: string[] = [];
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const place = `${at}/${name}`;
      // It is shown as it was sent: payloads of webhooks have no version.
      if (isDelivery && place === '/request/payload') continue;
      const isRemoved =
        ANYWHERE.has(name) ||
        (isGist && name === 'history') ||
        // On repositories it is a number.
        (isGist && name === 'forks' && Array.isArray(inner)) ||
        // Comments and revisions have it; a gist has an owner instead.
        (name === 'user' && inner !== null && 'git_pull_url' in value) ||
        (isSetup && at === '/languages' && REMOVED_LANGUAGES.has(inner)) ||
        (isRateLimit && place === '/rate');
      if (isRemoved) found.push(place);
      walk(inner, place);
    }
  };
  walk(body, '');
  return found;
}
