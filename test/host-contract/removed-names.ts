// Finds properties in replies of version 2026-03-10 that it removed: shapes allow more properties, so that no check of one would.

/** Nothing has these. */
const ANYWHERE = new Set([
  'has_downloads',
  'use_squash_pr_title_as_default',
  'authorizations_url',
  'secret_scanning_push_protection_custom_link_enabled',
]);

export function removedNamesIn(operation: string, body: unknown): string[] {
  const isGist = operation.includes('/gists');
  const isRateLimit = operation.endsWith('/rate_limit');
  const found: string[] = [];
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const place = `${at}/${name}`;
      const isRemoved =
        ANYWHERE.has(name) ||
        // The payload of an event has it for new branches.
        (name === 'master_branch' && !at.endsWith('/payload')) ||
        (isGist && name === 'history') ||
        // On repositories it is a number.
        (isGist && name === 'forks' && Array.isArray(inner)) ||
        (isRateLimit && place === '/rate');
      if (isRemoved) found.push(place);
      walk(inner, place);
    }
  };
  walk(body, '');
  return found;
}
