// Cuts the URLs of webhooks in audit entries to their origins: the path, the query and the user often hold a secret.
import type { AuditEntry } from '../../kernel/change/change.ts';

/** Entries about webhooks of the three APIs, audit-log subscriptions, and apps, which have a webhook each. */
const KINDS: ReadonlySet<string> = new Set(['webhook', 'hook', 'integration', 'app']);

/** When the entry is shown, so that entries of earlier releases are cut, too. */
export function cutWebhookUrls(entry: AuditEntry): AuditEntry {
  if (!KINDS.has(entry.kind)) return entry;
  const { name, description, before, after, update } = entry;
  return {
    ...entry,
    name: cutUrls(name),
    ...(description !== undefined && { description: cutUrls(description) }),
    ...(before !== undefined && { before: cutWithin(before) }),
    ...(after !== undefined && { after: cutWithin(after) }),
    ...(update !== undefined && { update: cutWithin(update) as NonNullable<AuditEntry['update']> }),
  };
}

function cutWithin(value: unknown): unknown {
  if (typeof value === 'string') return cutUrls(value);
  if (Array.isArray(value)) return value.map(cutWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutWithin(inner)]));
}

/** Not by a parser: a URL with templates, or one that was refused, is cut as well. */
function cutUrls(text: string): string {
  return text.replaceAll(/(https?:[/\\]{2})(?:[^\s/\\?#]*@)?([^\s/\\?#]*)\S*/gi, '$1$2');
}
