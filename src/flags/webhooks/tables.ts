// The table of webhooks.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    webhooks: WebhookRow;
  }
}

export interface WebhookRow {
  id: string;
  name: string;
  url: string;
  is_on: number;
  /** Signs deliveries. Stored in plain text, because signing needs it. */
  secret: string | null;
  /** A JSON list. */
  tags: string;
  /** A JSON list of statements; empty for all changes. */
  statements: string;
  version: number;
  created_at: number;
  /** Null for a webhook. A subscription of an integration has its key, its settings as JSON, and no URL. */
  integration_key: string | null;
  config: string | null;
  /** The account that created or changed it last; null for one of an earlier release. */
  saved_by: string | null;
}
