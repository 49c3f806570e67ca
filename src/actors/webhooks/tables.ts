// The table of webhooks.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    actor_webhooks: ActorWebhookRow;
  }
}

export interface ActorWebhookRow {
  id: string;
  user_id: string;
  /** `actor`, `task` or `run`. */
  target_kind: string;
  target_id: string;
  /** Of a webhook on a run: the run that started it. */
  parent_run_id: string | null;
  is_ad_hoc: number;
  is_enabled: number;
  /** A JSON list. */
  event_types: string;
  request_url: string;
  payload_template: string | null;
  headers_template: string | null;
  interpolates_strings: number;
  ignores_ssl_errors: number;
  does_not_retry: number;
  description: string | null;
  idempotency_key: string | null;
  /** Whose permissions it has, as JSON. */
  maker: string;
  total_dispatches: number;
  last_dispatch_id: string | null;
  last_dispatch_status: string | null;
  last_dispatch_finished_at: number | null;
  created_at: number;
  modified_at: number;
}
