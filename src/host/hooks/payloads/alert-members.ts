// The members of the payload of a code-scanning alert.
import { toAlert } from '../../code-scanning/model.ts';
import type { EventDetails } from '../../events/model.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import type { PayloadObject } from './shared-members.ts';

/** Payloads have fewer members than replies. */
export function alertMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { alert, dismissedBy, ref, commit_oid: commit } = details as EventDetails['code_scanning_alert'];
  const shown = toAlert(alert, found, dismissedBy ?? undefined, base);
  const { html_url: _page, category: _category, ...instance } = shown.most_recent_instance;
  const { id, severity, description } = shown.rule;
  return {
    alert: {
      number: shown.number,
      created_at: shown.created_at,
      url: shown.url,
      html_url: shown.html_url,
      instances: [instance],
      most_recent_instance: instance,
      state: shown.state,
      dismissed_by: shown.dismissed_by,
      dismissed_at: shown.dismissed_at,
      dismissed_reason: shown.dismissed_reason,
      rule: { id, severity, description },
      tool: { name: shown.tool.name, version: shown.tool.version },
    },
    ref,
    commit_oid: commit,
  };
}
