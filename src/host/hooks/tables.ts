// The tables of webhooks, and of the last event of each queue that was delivered to them.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    host_hooks: HookRow;
    host_hook_cursors: HookCursorRow;
  }
}

export interface HookRow {
  number: Generated<number>;
  /** A hook has either a repository or an organization. */
  repository_number: number | null;
  organization_id: string | null;
  /** The number of the one or the other, as clients know it. */
  target_number: number;
  is_active: number;
  /** A JSON list. */
  events: string;
  url: string;
  /** `json` or `form`. */
  content_type: string;
  insecure_ssl: number;
  /** Sealed. */
  secret: string | null;
  /** The number of the last event before it was created, which it does not hear of. */
  after_event: number;
  last_code: number | null;
  last_status: string;
  last_message: string | null;
  created_at: number;
  updated_at: number;
}

export interface HookCursorRow {
  /** `repository/<number>`, `organization/<id>` or `app/<number>`. */
  queue: string;
  /** The last event whose deliveries are written. */
  event_number: number;
}
